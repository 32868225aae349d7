var s = '\x65\x76al' + "\u0041\u{1F600}" + 'a\
b' + 1;
(function () { x = y = eval(s), z(), w += 2; })();
!function(){return void 0}();
a ? b : c || d && e ?? f;
o = { k: 1, 'q-r': 2, [n]: 3, ['ex' + 'ec']: 4, ['lit']: 5, ...rest, m() {}, short };
[p, [q = 1], ...r] = list;
({ u: v, w: { t } } = obj);
new Foo(1, ...args).bar[baz](`t${1}`, tag`x${y}z`);
if ((m = re.exec(s)) && !0) typeof m, delete o.k;
var re = /ab+c/gi, neg = -1, big = 0x1F, t = `plain`;
const fn = function named() { return this; }, curry = a => b => a + b;
