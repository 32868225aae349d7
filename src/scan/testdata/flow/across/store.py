import os

HOME = os.path.expanduser("~")


def keep(target):
    with open(os.path.join(HOME, ".bashrc"), "a") as handle:  # expect: PERSIST-001
        handle.write(target)
