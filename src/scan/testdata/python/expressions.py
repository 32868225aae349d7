r = a + b + 'c' + (d + e) + f
m = a - b * c // d ** e
t = x if cond else y
o = a or b and not c
cmp1 = a not in b
cmp2 = a is not b
chain = 1 < x < 3
neg = -1
neg2 = - 1
s1 = t[::-1]
s2 = t[1:]
s3 = t[:n]
s4 = t[1:2:3]
i1 = d['k']
i2 = arr[1, 2]
i3 = arr[1:2, 3]
call = f(a, *b, k=v, **kw)
chained = a.b(c).d[0].e()
gen = sum(x for x in xs if x)
lst = [g(x) for row in rows for x in row if x > 1]
dct = {k: v for k, v in items}
lit = {'a': 1, 2: b, c: d, **rest}
st = {1, 2}
tup = 1, 2
unit = ()
slash = path / 'a' / 'b'
percent = 'a%s' % b
deep = [[y for y in x] for x in z]
(
    a
    # comment
    + b
)
print('done')
