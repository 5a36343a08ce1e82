export * as Demo from "./Demo.js"
