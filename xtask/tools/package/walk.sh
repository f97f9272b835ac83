# What a user of the package does in its life, in a bare Debian that systemd runs: first.deb and next.deb lie beside this script.
#
# Each line of standard output is something that was seen. The first thing that is not as it should be ends it.
set -eu
api=http://127.0.0.1:8080
settings=/etc/a11ycheck/server.toml
state=/var/lib/a11ycheck

saw() {
    echo "  $*"
}

fail() {
    echo "error: $*" >&2
    journalctl --no-pager --unit a11ycheck-server --lines 40 >&2 || true
    exit 1
}

expect() {
    [ "$2" = "$3" ] || fail "$1: expected $3, found $2"
}

# The text in a field of an answer that has it once.
field() {
    sed -n 's/.*"'"$1"'": *"\{0,1\}\([^",}]*\).*/\1/p' | head -n 1
}

ask() {
    curl --silent --show-error --fail-with-body --max-time 90 --header "Authorization: Bearer $token" "$@"
}

seconds_of() {
    from=$(date +%s)
    "$@"
    took=$(($(date +%s) - from))
}

# Everything that clients see of the site and of its check, in a file.
read_back() {
    for path in /v1/sites "/v1/sites/$site" "/v1/scans/$scan" "/v1/scans/$scan/report"; do
        ask "$api$path"
        echo
    done >"$1"
}

main_process() {
    systemctl show --property MainPID --value a11ycheck-server
}

installs() {
    seconds_of dpkg --install /root/first.deb >/root/dpkg.txt 2>&1 || { cat /root/dpkg.txt >&2; fail 'the package could not be installed'; }
    expect 'the service after the installation' "$(systemctl is-active a11ycheck-server)" active
    expect 'the service at the next start of the machine' "$(systemctl is-enabled a11ycheck-server)" enabled
    saw "installed in $took s; systemd was told that the server answers ($(curl --silent --fail $api/readyz))"
    pid=$(main_process)
    expect 'the user of the server' "$(stat --format %U "/proc/$pid")" a11ycheck
    expect 'the folder of the data' "$(stat --format '%U %a' $state)" 'a11ycheck 750'
    expect 'the settings file' "$(stat --format '%U %G %a' $settings)" 'root a11ycheck 640'
    saw "runs as $(stat --format %U "/proc/$pid"), with NoNewPrivs $(sed -n 's/NoNewPrivs:\s*//p' "/proc/$pid/status"), Seccomp $(sed -n 's/^Seccomp:\s*//p' "/proc/$pid/status"), no capability ($(sed -n 's/CapBnd:\s*//p' "/proc/$pid/status"))"
    saw "data: $(ls $state | tr '\n' ' ')"
    cd /
    found=$(env -i setpriv --reuid=a11ycheck --regid=a11ycheck --clear-groups -- \
        /usr/bin/a11ycheck-server --data-dir $state admin doctor) || fail "admin doctor without an environment: $found"
    a11ycheck-admin doctor >/root/doctor.txt || fail "a11ycheck-admin doctor: $(cat /root/doctor.txt)"
    sed 's/^/  doctor: /' /root/doctor.txt
    man=$(find /usr/share/man/man8 -name 'a11ycheck-*' | wc -l)
    saw "man pages: $man; completions: $(find /usr/share/bash-completion /usr/share/fish /usr/share/zsh -name '*a11ycheck*' | wc -l)"
}

changes_settings() {
    printf '\n# Of the administrator.\nallow-network = ["127.0.0.0/8:8099"]\nworkers = 1\n' >>$settings
    sum=$(sha256sum <$settings)
    systemctl restart a11ycheck-server || fail 'the service did not start with the changed settings'
}

checks_a_site() {
    mkdir -p /srv/site
    echo '<!doctype html><html lang=en><title>Home</title><main><h1>Home</h1><img src=logo.png><a href=two.html>Two</a></main>' >/srv/site/index.html
    echo '<!doctype html><html lang=en><title>Two</title><main><h1>Two</h1><input><button></button></main>' >/srv/site/two.html
    busybox httpd -p 127.0.0.1:8099 -h /srv/site
    team=$(a11ycheck-admin team create --name Example --plan agency --json | field id)
    token=$(a11ycheck-admin token create "$team" --name laptop --json | field token)
    [ -n "$token" ] || fail 'no token was made'
    saw 'made a team and a token with a11ycheck-admin, beside the running server'
    site=$(ask --json '{"url": "http://127.0.0.1:8099/", "report_locale": "en"}' $api/v1/sites | field id)
    scan=$(ask "$api/v1/sites/$site/scans" | grep -o '"scan_[^"]*"' | head -n 1 | tr -d '"')
    [ -n "$scan" ] || fail 'the site has no check'
    tries=0
    until ask "$api/v1/scans/$scan" >/root/scan.json && grep -q '"finished_at": *"' /root/scan.json; do
        [ -n "${namespace:-}" ] || look_at_sandbox
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] || fail "the check did not end: $(cat /root/scan.json)"
        sleep 1.1
    done
    [ -n "${namespace:-}" ] || look_at_sandbox
    expect 'the check' "$(field status </root/scan.json)" completed
    expect 'the pages of the check' "$(field pages_scanned </root/scan.json)" 2
    saw "checked http://127.0.0.1:8099/: $(field status </root/scan.json), $(field pages_scanned </root/scan.json) pages, $(field issues </root/scan.json) problem elements"
    expect 'the metric of the sandbox' "$(curl --silent $api/metrics | sed -n 's/^a11ycheck_browser_sandboxed //p')" 1
    if tr '\0' ' ' <"/proc/$(main_process)/cmdline" | grep -q no-sandbox; then fail 'the server runs with --no-sandbox'; fi
    [ -n "${namespace:-}" ] || fail 'no process of the browser was seen in a user namespace of its own'
    saw "the browser's sandbox is on: a11ycheck_browser_sandboxed 1, zygote in $namespace, the server in $(readlink "/proc/$(main_process)/ns/user")"
    ask --output /root/report.pdf "$api/v1/scans/$scan/export?format=pdf"
    expect 'the PDF' "$(head -c 5 /root/report.pdf)" '%PDF-'
    saw "its PDF has $(stat --format %s /root/report.pdf) bytes"
}

# The user namespace of a process of the browser, if it is another one than the server's.
look_at_sandbox() {
    own=$(readlink "/proc/$(main_process)/ns/user")
    for process in $(pgrep --uid a11ycheck); do
        other=$(readlink "/proc/$process/ns/user" 2>/dev/null) || continue
        if [ -n "$other" ] && [ "$other" != "$own" ]; then namespace=$other; fi
    done
}

stops_and_starts() {
    read_back /root/before.json
    seconds_of systemctl stop a11ycheck-server
    expect 'the end of the server' "$(systemctl show --property Result --value a11ycheck-server)" success
    expect 'processes of the user after the stop' "$(pgrep --uid a11ycheck | wc -l)" 0
    saw "stopped in $took s, with nothing left running"
    seconds_of systemctl start a11ycheck-server
    read_back /root/after.json
    cmp /root/before.json /root/after.json || fail 'the answers after the start are others than before the stop'
    saw "started in $took s: site, check and report are there ($(stat --format %s /root/after.json) bytes, the same), the token works"
}

is_backed_up_and_restored() {
    a11ycheck-admin backup $state/backup.db >/root/backup.txt || fail 'the data of a running server could not be backed up'
    systemctl stop a11ycheck-server
    a11ycheck-admin restore $state/backup.db >/root/restore.txt || fail 'the backup could not be restored'
    systemctl start a11ycheck-server
    read_back /root/after.json
    cmp /root/before.json /root/after.json || fail 'the answers after the restoration are others than before'
    saw "backed up while it ran ($(stat --format %s $state/backup.db) bytes), restored: the same answers"
}

survives_a_stop_of_its_turns() {
    mkdir -p /run/systemd/system/a11ycheck-server.service.d
    printf '[Service]\nWatchdogSec=5\nTimeoutAbortSec=5\nRestartSec=1\n' >/run/systemd/system/a11ycheck-server.service.d/walk.conf
    systemctl daemon-reload
    systemctl restart a11ycheck-server
    stuck=$(main_process)
    kill -STOP "$stuck"
    tries=0
    until [ "$(main_process)" != "$stuck" ] && [ "$(systemctl is-active a11ycheck-server)" = active ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 120 ] || fail 'the watchdog did not start a stopped server again'
        sleep 0.5
    done
    rm -r /run/systemd/system/a11ycheck-server.service.d
    systemctl daemon-reload
    systemctl restart a11ycheck-server
    read_back /root/after.json
    cmp /root/before.json /root/after.json || fail 'the answers after the watchdog are others than before'
    saw 'a server that gets no turn (SIGSTOP) is started again by the watchdog, with its data'
}

is_upgraded() {
    pid=$(main_process)
    seconds_of dpkg --force-confold --install /root/next.deb >/root/dpkg.txt 2>&1 || { cat /root/dpkg.txt >&2; fail 'the upgrade failed'; }
    expect 'the service after the upgrade' "$(systemctl is-active a11ycheck-server)" active
    [ "$(main_process)" != "$pid" ] || fail 'the upgrade did not restart the server'
    expect 'the settings after the upgrade' "$(sha256sum <$settings)" "$sum"
    [ -e $settings.dpkg-dist ] || fail 'the settings that the next version brings are nowhere'
    expect 'the settings file' "$(stat --format '%U %G %a' $settings)" 'root a11ycheck 640'
    read_back /root/after.json
    cmp /root/before.json /root/after.json || fail 'the answers after the upgrade are others than before'
    saw "upgraded to $(dpkg-query --show --showformat '${Version}' a11ycheck-server) in $took s: restarted, data and settings kept"
}

is_removed() {
    dpkg --remove a11ycheck-server >/root/dpkg.txt 2>&1 || { cat /root/dpkg.txt >&2; fail 'the package could not be removed'; }
    expect 'processes of the user after the removal' "$(pgrep --uid a11ycheck | wc -l)" 0
    if systemctl --quiet is-active a11ycheck-server; then fail 'the service runs after the removal'; fi
    expect 'the settings after the removal' "$(sha256sum <$settings)" "$sum"
    [ -e /usr/bin/a11ycheck-server ] && fail 'the program is there after the removal'
    saw "removed: the service has ended; kept are $settings and $(find $state -type f | wc -l) files of data"
}

is_purged() {
    dpkg --purge a11ycheck-server >/root/dpkg.txt 2>&1 || { cat /root/dpkg.txt >&2; fail 'the package could not be purged'; }
    left=$(find / -xdev -iname '*a11ycheck*' -not -path '/root/*' -not -path '/var/log/*' -not -path '/proc/*' -not -path '/sys/*')
    expect 'files after the purge' "$left" ''
    if getent passwd a11ycheck || getent group a11ycheck; then fail 'the user is there after the purge'; fi
    saw 'purged: no file, no folder, no user and no group is left'
}

installs
changes_settings
checks_a_site
stops_and_starts
is_backed_up_and_restored
survives_a_stop_of_its_turns
is_upgraded
is_removed
is_purged
