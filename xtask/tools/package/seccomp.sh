# Writes `packaging/seccomp.json`, for containers, from the groups of system calls that the unit of systemd allows: the two allow the
# same, but for what the version of systemd that is asked adds. Run it again when the unit's SystemCallFilter= changes.
#
#     sh xtask/tools/package/seccomp.sh >packaging/seccomp.json
set -eu
here=$(cd "$(dirname "$0")" && pwd)
unit=$(dirname "$(dirname "$(dirname "$here")")")/packaging/a11ycheck-server.service

# The calls in a group, and in those that it names.
calls() {
    for name; do
        case $name in
            @*)
                # shellcheck disable=SC2046
                calls $(systemd-analyze syscall-filter --no-pager "$name" | sed -n 's/^ *\(@\{0,1\}[a-z0-9_-]\{1,\}\)$/\1/p' | grep -vxF "$name")
                ;;
            *) echo "$name" ;;
        esac
    done
}

# shellcheck disable=SC2046
calls $(sed -n 's/^SystemCallFilter=//p' "$unit") | sort -u | jq --raw-input --null-input '{
    # A call that does not exist is what programs expect of an older kernel: they take another way.
    defaultAction: "SCMP_ACT_ERRNO", defaultErrnoRet: 38,
    architectures: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32", "SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"],
    syscalls: [{names: [inputs], action: "SCMP_ACT_ALLOW"}]
}'
