import type { T } from './types';
import cfg = require('./cfg');
enum Color { Red = 'r', Green = compute() }
namespace Inner { export const v: number = 1; }
interface Nope { a: string }
type Alias<K> = K extends string ? 1 : 2;
declare module 'x' { export function y(): void; }
abstract class Box<T> extends Base<T> implements Nope {
  private readonly token: string = process.env.TOKEN!;
  constructor(private a: string, public b?: number) { super(); }
  @Tool({ name: 'run' })
  async run(@Arg('cmd') cmd: string, opts: { a: number } = { a: 1 }): Promise<void> {
    const out = (await exec(cmd as string))!.stdout satisfies string;
    this.items.map<string>((x: any): string => x);
  }
}
@Controller('/x')
export class Api {}
export function generic<T,>(x: T, { y }: { y: string }): x is T { return <any>x; }
