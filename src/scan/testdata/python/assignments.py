x = 1
a = b = c = "same"
first, *rest = values
(p, q), [r] = nested
x += 2
s += "more"
n -= 1
obj.field = key[0]
d["k"], e.f = 1, 2
typed: int = 3
bare: list[str]
if (w := f(x)) > 3:
    g(w)
y = (m := n)
type Alias = dict[str, int] | None
del x, d["k"]
