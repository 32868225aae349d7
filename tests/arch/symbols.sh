#!/usr/bin/env bash
# symbols.sh NM ALLOW LIBRARY...: the objects of base to gate ask the system for nothing: no file, socket, thread, clock,
# random number or output. ALLOW lists exceptions, one `object symbol-regex reason` a line; one
# that is not needed is a failure too.
set -euo pipefail
nm="$1" allow="$2"
shift 2
forbidden='^(open|open64|openat|openat64|creat|fopen|fopen64|fdopen|freopen|read|write|pread|pwrite|readv|writev|close|unlink|rename|mkdir|stat|fstat|lstat|access|opendir|readdir|mmap|mmap64|dlopen'
forbidden+='|socket|connect|bind|listen|accept|accept4|send|sendto|sendmsg|recv|recvfrom|recvmsg|getaddrinfo|pipe|pipe2|poll|select|epoll_.*'
forbidden+='|fork|vfork|exec[lv].*|posix_spawn.*|system|popen|kill|signal|sigaction'
forbidden+='|pthread_create|clone|sem_.*|nanosleep|usleep|sleep'
forbidden+='|clock_gettime|gettimeofday|time|clock|localtime.*|gmtime.*'
forbidden+='|getrandom|getentropy|rand|srand|random|arc4random.*|RAND_.*|randombytes.*'
forbidden+='|getenv|secure_getenv|setenv|setlocale|std::locale::global'
forbidden+='|printf|puts|putchar|perror|fprintf|fputs|fputc|putc|fwrite|vprintf|vfprintf|__printf_chk|__fprintf_chk|__vfprintf_chk|syslog|stdout|stderr|stdin'
forbidden+='|_ZNSt6thread.*|_ZNSt6chrono3_V2.*|_ZNSt13random_device.*|_ZNSt10filesystem.*|_ZSt4cout|_ZSt4cerr|_ZSt4clog|_ZSt3cin|_ZNSt13basic_filebuf.*|_ZNSt14basic_.fstream.*|_ZNSt14basic_(i|o)fstream.*)$'

[ "$#" -gt 0 ] || { echo "no library given"; exit 1; }
failures=0 symbols=0
objects=() patterns=() uses=()
while read -r object pattern _; do
  [[ "$object" == "#"* || -z "$object" ]] && continue
  objects+=("$object") patterns+=("$pattern") uses+=(0)
done <"$allow"

is_allowed() {
  local i
  for i in "${!objects[@]}"; do
    if [[ "$1" == "${objects[$i]}" && "$2" =~ ^(${patterns[$i]})$ ]]; then uses[i]=1; return 0; fi
  done
  return 1
}

while read -r object symbol; do
  symbols=$((symbols + 1))
  [[ "$symbol" =~ $forbidden ]] || continue
  is_allowed "$object" "$symbol" && continue
  echo "$object asks for $symbol"
  failures=$((failures + 1))
done < <(for library in "$@"; do
  "$nm" --undefined-only -A "$library" | sed -nE 's|^.*/lib(interlock_[a-z]+)\.a:([^:]+)\.o: +U ([^@]+).*$|\1/\2 \3|p'
done)
[ "$symbols" -gt 0 ] || { echo "no symbol read"; exit 1; }
for i in "${!objects[@]}"; do
  [ "${uses[$i]}" = 1 ] || { echo "symbols.allow: the line for ${objects[$i]} is not needed"; failures=$((failures + 1)); }
done
exit "$((failures > 0))"
