#!/bin/sh
# A planner for the test. $1 says how it behaves: good, refine (misses at first), garbage, silent, gone, endless.
# Takes the wanted transition out of the question with sed: one line in, one line out.
mode="$1"
while IFS= read -r question; do
  from=$(printf '%s' "$question" | sed 's/.*"want":{"from":"\([^"]*\)","to":"\([^"]*\)"}.*/\1/')
  to=$(printf '%s' "$question" | sed 's/.*"want":{"from":"\([^"]*\)","to":"\([^"]*\)"}.*/\2/')
  case "$mode" in
    silent) sleep 60 ;;
    gone) exit 0 ;;
    garbage) echo 'I would be glad to help!'; continue ;;
    endless) while :; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done ;;
    refine)
      case "$question" in
        *'"refine":'*) ;;
        *) echo '{"prompt":"Read it.","calls":["read_file"]}'; continue ;;
      esac ;;
  esac
  echo '{"prompt":"Look at it, then see to the rest.","calls":["read_file",{"tool":"'"$from"'","result":"a note"},{"tool":"'"$to"'","arguments":{"n":1}}]}'
done
