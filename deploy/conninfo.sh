# shellcheck shell=bash
# For backup.sh and restore.sh, which read it.
#
#   hide_password CONNINFO
#
# In:  what libpq takes as a connection string: keywords and values, a URL, or the name of a database
# Out: `conninfo`, the same without its password, which is in PGPASSWORD: everybody on a machine reads the arguments of its programs, and
#      nobody else's environment. Exit 1 where it cannot be read: it would be handed on as it is.

conninfo=

hide_password() {
    local rest=$1 kept='' value='' query part
    conninfo=$1
    case "$rest" in
        postgresql://* | postgres://*)
            # The user's part ends at the first @ (libpq, conninfo_uri_parse_options).
            if [[ $rest =~ ^(postgres(ql)?://[^/@:]*):([^/@]*)@(.*)$ ]]; then
                rest=${BASH_REMATCH[1]}@${BASH_REMATCH[4]}
                PGPASSWORD=$(from_url "${BASH_REMATCH[3]}")
                export PGPASSWORD
            fi
            conninfo=$rest
            [[ $rest == *\?* ]] || return 0
            conninfo=${rest%%\?*} query=${rest#*\?}
            while [ -n "$query" ]; do
                part=${query%%&*}
                if [ "$part" = "$query" ]; then query=''; else query=${query#*&}; fi
                if [[ $part == password=* ]]; then
                    PGPASSWORD=$(from_url "${part#password=}")
                    export PGPASSWORD
                else
                    kept+=${kept:+&}$part
                fi
            done
            conninfo+=${kept:+?$kept}
            return 0
            ;;
        *=*) ;;
        *) return 0 ;;
    esac
    # A value is in quotes or ends at a blank; a backslash takes what follows as it is.
    local pair="^[[:space:]]*([^[:space:]=]+)[[:space:]]*=[[:space:]]*('([^'\\\\]|\\\\.)*'|([^'[:space:]\\\\]|\\\\.)([^[:space:]\\\\]|\\\\.)*|)(.*)\$"
    while [[ $rest =~ [^[:space:]] ]]; do
        [[ $rest =~ $pair ]] || { echo "the connection string cannot be read" >&2; return 1; }
        rest=${BASH_REMATCH[6]} value=${BASH_REMATCH[2]}
        if [ "${BASH_REMATCH[1]}" = password ]; then
            case "$value" in "'"*) value=${value:1:${#value}-2} ;; esac
            PGPASSWORD=$(sed 's/\\\(.\)/\1/g' <<<"$value")
            export PGPASSWORD
        else
            kept+="${kept:+ }${BASH_REMATCH[1]}=$value"
        fi
    done
    conninfo=$kept
}

# %XX as RFC 3986 has it.
from_url() {
    local text=${1//\\/\\\\}
    printf '%b' "${text//%/\\x}"
}
