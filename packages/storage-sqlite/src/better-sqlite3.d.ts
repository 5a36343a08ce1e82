// What is used of the driver. Its own types are a package for development only.
declare module "better-sqlite3" {
  export interface Statement {
    pluck(): this
    raw(): this
    iterate(...parameters: ReadonlyArray<unknown>): Iterable<unknown>
    all(...parameters: ReadonlyArray<unknown>): Array<unknown>
    get(...parameters: ReadonlyArray<unknown>): unknown
  }
  export default class Database {
    constructor(filename: string, options: { readonly readonly: boolean; readonly timeout?: number })
    pragma(source: string, options: { readonly simple: true }): unknown
    prepare(text: string): Statement
    exec(text: string): this
    close(): void
  }
}
