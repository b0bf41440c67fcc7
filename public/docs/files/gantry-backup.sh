#!/bin/sh
# Creates a backup with the time in its name, then deletes those older than KEEP_DAYS, and what a killed backup left
# (*.partial). Run it from
# gantry-backup.timer, or from cron: 17 3 * * * DATA_DIR=/var/lib/gantry /usr/local/bin/gantry-backup.sh
set -eu
umask 077
directory=${BACKUP_DIR:-/var/backups/gantry}
mkdir -p "$directory"
gantry backup "$directory/gantry-$(date -u +%Y-%m-%dT%H%M%SZ).gantry"
find "$directory" -maxdepth 1 -name 'gantry-*.gantry*' -mtime "+${KEEP_DAYS:-14}" -delete
