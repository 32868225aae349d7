const cp = require('child_process');
const { exec, execFile: run } = require("node:child_process");
const read = require('fs').readFileSync;
const util_1 = __importStar(require('util'));
let later;
later = require('./lib/util');
function helper(a, b = 2, ...rest) {
  if (a > b) {
    return cp.exec(`ls ${a} -l`, { cwd: '/tmp' }, (err, out) => console.log(out));
  } else if (rest.length) return null;
  throw new Error('no');
}
module.exports = { helper, go: async function () { await helper(1); }, stop() {} };
exports.two = () => 2;
