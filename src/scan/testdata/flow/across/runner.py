from os import popen as start


def go(target):
    return start("make " + target).read()  # expect: VULN-001
