/** What this package is to a program that uses Effect 3: a storage of its own layer. */
export { ofLayer } from "./Storage.js"
