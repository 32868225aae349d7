import shlex
import sqlite3
import subprocess
from langchain_core.tools import tool

db = sqlite3.connect("a.db")


@tool
def archive(name: str) -> str:
    """Archives a project."""
    subprocess.run("tar czf /srv/out.tgz " + name, shell=True)  # expect: VULN-001
    subprocess.run(["tar", "czf", "/srv/out.tgz", name])
    subprocess.run(f"tar czf /srv/out.tgz {shlex.quote(name)}", shell=True)
    db.execute("DELETE FROM projects WHERE name = '%s'" % name)  # expect: VULN-004
    db.execute("DELETE FROM projects WHERE name = ?", (name,))
    return name


@tool
def run_command(command: str) -> str:
    """Runs a command that the user has approved."""
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout
