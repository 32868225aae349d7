// Words on the screen and expectations that must hold. Colour only where somebody looks.
const colour = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, red, green] = [1, 2, 31, 32].map(paint);

let failed = 0;
let held = 0;

export function chapter(title) {
  console.log(`\n${bold(title)}`);
}
export function say(text) {
  console.log(`  ${text}`);
}
export function quote(text, lines = 12) {
  const all = text.trimEnd().split('\n');
  for (const line of all.slice(0, lines)) console.log(dim(`    | ${line}`));
  if (all.length > lines) console.log(dim(`    | (${all.length - lines} more lines)`));
}
export function expect(what, holds, detail = '') {
  if (holds) ++held;
  else ++failed;
  console.log(`  ${holds ? green('[ok]') : red('[NOT SO]')} ${what}${holds || !detail ? '' : `\n    ${detail}`}`);
}
export function finish() {
  console.log(`\n${failed === 0 ? green(bold('The demo held')) : red(bold('The demo did not hold'))}: ${held} expectations met, ${failed} not.`);
  return failed === 0 && held > 0 ? 0 : 1;
}
