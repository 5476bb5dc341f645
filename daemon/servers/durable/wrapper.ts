// The shell side of a durable run, POSIX sh. Texts only; launch.ts puts them together. Variables begin with m_, so that they meet
// none of the user's own. Nothing here may start a process on the way of a short run without need: each costs a millisecond.

/** Sets m_up to seconds that only go forward: no process where there is /proc. */
const uptime = `
m_uptime() {
  m_up=
  if [ -r /proc/uptime ]; then read -r m_up m_x </proc/uptime; else m_up=$(date +%s); fi
}`

/** Sets m_self to the id of this very process; $$ stays the parent's in a subshell. */
const self = `
m_whoami() {
  m_stat=
  if [ -r /proc/self/stat ]; then read -r m_stat </proc/self/stat; m_self=\${m_stat%% *}; else m_self=$(exec sh -c 'echo $PPID'); fi
}`

/** Sets m_start to the start time in a line of /proc/PID/stat; the name in parentheses may hold spaces. */
const startTime = `
m_start_time() {
  m_start=-
  case $1 in *') '*) set -- \${1##*') '}; m_start=\${20:--};; esac
  m_boot=-
  if [ -r /proc/sys/kernel/random/boot_id ]; then read -r m_boot </proc/sys/kernel/random/boot_id; fi
}`

/** TERM to the group of $1, KILL after $2 tenths of a second unless it is empty by then. */
const endGroup = `
m_end_group() {
  kill -TERM -"$1" 2>/dev/null || kill -TERM "$1" 2>/dev/null
  m_n=$2
  while [ "$m_n" -gt 0 ]; do
    kill -0 -"$1" 2>/dev/null || kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1 2>/dev/null || { sleep 1; m_n=$((m_n - 9)); }
    m_n=$((m_n - 1))
  done
  kill -KILL -"$1" 2>/dev/null || kill -KILL "$1" 2>/dev/null
}`

/**
 * Reads stdin into $1 up to $2 bytes, then counts the rest and keeps its last 64 KiB. TERM means that the command has ended: what some
 * leftover still writes goes nowhere, so that it neither blocks nor fills the disk. dd, as it passes on what it has at once. Where the
 * disk is full, what dd had read is lost and nobody knows how much it was: it counts as one byte, so that a loss never looks like none.
 */
const drain = `
m_drain() {
  m_cut= m_child= m_left=$2 m_eof= m_lost=0
  trap 'm_cut=1; [ -z "$m_child" ] || kill "$m_child" 2>/dev/null' TERM
  while [ "$m_left" -gt 0 ] && [ -z "$m_cut$m_eof" ]; do
    m_bs=65536
    [ "$m_left" -ge 65536 ] || m_bs=$m_left
    m_count=$((m_left / m_bs))
    LC_ALL=C dd bs="$m_bs" count="$m_count" <&3 >>"$1" 2>"$1.dd" &
    m_child=$!
    m_wait_child || { m_lost=1; break; }
    [ -z "$m_cut" ] || break
    m_records <"$1.dd"
    if [ -z "$m_seen" ] || [ $((m_seen + \${m_part%% *})) -lt "$m_count" ]; then m_eof=1; else m_left=$(($2 - $(wc -c <"$1"))); fi
  done
  [ -n "$m_cut$m_eof" ] || m_overflow "$1"
  : >"$1.done"
  if [ -n "$m_cut" ]; then cat <&3 >/dev/null & fi
}
m_records() {
  while IFS=+ read -r m_seen m_part; do
    case $m_seen in '' | *[!0-9]*) ;; *) return ;; esac
  done
  m_seen=
}
m_wait_child() {
  [ -z "$m_cut" ] || kill "$m_child" 2>/dev/null
  wait "$m_child"
  m_status=$?
  [ -z "$m_cut" ] || { wait "$m_child"; return 0; }
  return "$m_status"
}
m_overflow() {
  wc -c <"$1.over" 1<>"$1.count" &
  m_counter=$!
  { tail -c 65536 >"$1.tail" || cat >/dev/null; } <"$1.rest" 2>/dev/null &
  m_keeper=$!
  tee "$1.over" <&3 >"$1.rest" &
  m_child=$!
  m_wait_child
  wait "$m_counter"
  wait "$m_keeper"
  m_kept=0
  [ ! -s "$1.tail" ] || { m_before=$(wc -c <"$1"); cat "$1.tail" >>"$1"; m_kept=$(($(wc -c <"$1") - m_before)); }
  read -r m_over <"$1.count"
  printf '%s\\n' "$((m_over - m_kept + m_lost))" 1<>"$1.dropped"
}`

/**
 * Waits for the drainer $2 of the file $1, but not for a leftover that holds the pipe open. Sets m_size and m_drop. Most drainers are
 * done after a moment, which an empty subshell passes for less than the processes of a timer.
 */
const settle = `
m_settle() {
  m_n=4
  while [ ! -e "$1.done" ] && [ "$m_n" -gt 0 ]; do
    (:)
    m_n=$((m_n - 1))
  done
  if [ ! -e "$1.done" ]; then
    { sleep 1; kill -TERM "$2"; sleep 5; kill -KILL "$2"; } >/dev/null 2>&1 9>&- &
    m_timer=$!
    wait "$2"
    kill "$m_timer" 2>/dev/null
  fi
  m_size=0
  [ ! -s "$1" ] || m_size=$(wc -c <"$1")
  read -r m_drop <"$1.dropped"
  m_drop=\${m_drop:-0}
}`

/**
 * Sends what is in the file $2 from byte $3 on stdout, once asked to by a line on stdin, and at the end of the run its record on stderr.
 * The fifo \`end\` is held open by the supervisor alone, so it reads as ended when the supervisor has, whatever ended it. Opening it for
 * both first keeps the other open from waiting. When stdin ends, nobody follows any more.
 */
const follow = `
m_follow() {
  exec 8<>"$1/end"
  exec 7<"$1/end" 8>&-
  m_whoami
  { exec 7<&-; m_watch "$2" "$3"; } <&3 &
  m_watcher=$!
  read -r m_x <&7
  m_report "$1" "$2"
  kill "$m_watcher" 2>/dev/null
}
m_watch() {
  m_before=$!
  trap '[ "$!" = "$m_before" ] || kill "$!" 2>/dev/null; exit' TERM
  while read -r m_x; do
    if [ "$!" = "$m_before" ]; then tail -c +$(($2 + 1)) -f "$1" </dev/null 2>/dev/null & fi
  done
  kill "$m_self"
  [ "$!" = "$m_before" ] || kill "$!"
}
m_report() {
  m_end=
  [ ! -e "$1/exit" ] || read -r m_end <"$1/exit"
  case $m_end in
    *' .') ;;
    *)
      m_size=0
      [ ! -s "$2" ] || m_size=$(wc -c <"$2")
      m_end="lost $((m_size)) ."
      ;;
  esac
  m_tell "$m_end"
  [ ! -s "$2" ] || tail -c 65536 "$2" >&2
}`

/**
 * Follows a folder that is there already. Where nobody has taken the start token for five seconds, whoever made the folder is gone;
 * taking the token here makes sure that it never starts after we said it was lost.
 */
const join = `
m_join() {
  m_n=25
  while :; do
    m_started=
    [ ! -e "$1/start" ] || read -r m_started <"$1/start"
    case $m_started in *' .') break ;; esac
    [ "$m_n" -gt 0 ] || m_take "$1" 'abandoned .' || :
    m_n=$((m_n - 1))
    [ "$m_n" -gt -20 ] || { m_tell 'lost 0 .'; return; }
    sleep 0.2 2>/dev/null || sleep 1
  done
  m_tell "$m_started"
  case $m_started in
    started*) ;;
    *) return ;;
  esac
  m_end=
  [ ! -e "$1/exit" ] || read -r m_end <"$1/exit"
  case $m_end in
    *' .') m_report "$1" "$2" ;;
    *) m_follow "$1" "$2" "$3" ;;
  esac
}
m_take() { (set -C; printf '%s\\n' "$2" >"$1/start") 2>/dev/null; }`

/** What a channel needs that only follows. */
export const followLibrary = [self, follow, join].join('\n')

/** What the channel needs that starts a run. */
export const launchLibrary = [uptime, self, startTime, endGroup, drain, settle, follow, join].join('\n')

/** What the channel needs that stops a run. */
export const stopLibrary = [startTime, endGroup].join('\n')
