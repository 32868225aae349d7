import fs, { readFile as rf } from 'node:fs';
import * as path from "path";
import './side.js';
export { a as b } from './other.js';
export const tool = async ({ name, path: p = '.', ...more }, [first]) => {
  const mod = await import('./dyn.js');
  for (const x of more.list) fs.rmSync(x);
  for (let i = 0, n = f(); i < n; i++) g(i);
  return mod?.run?.(name)?.[p];
};
export default class Server extends Base {
  static kind = 'x';
  #secret = process.env.KEY;
  handler = (req) => this.#secret + req.body;
  constructor(opts) { super(opts); this.opts = opts; }
  get url() { return this.opts['url']; }
  static async *list() { yield* items; }
}
label: while (true) { try { risky(); } catch ({ message }) { log(message); break label; } finally { done(); } }
switch (process.argv[2]) { case 'a': one(); break; default: two(); }
export { tool as renamed };
