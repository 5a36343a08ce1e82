export * as Lookout from "./Lookout.js"
export * as Simulation from "./Simulation.js"
