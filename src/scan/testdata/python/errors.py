import os
def ok():
    return os.environ
x = = 3
os.system("ls"
def after(:
    pass
print "python 2", os.getcwd()
exec "code"
final = ok()
