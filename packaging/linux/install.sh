#!/bin/sh
# Install ToolPlanner for you alone, without root, or take it away again: sh install.sh [--uninstall]
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
bin=$HOME/.local/bin
program=$data/toolplanner-program

# Desktops without these programs look for themselves.
refresh() {
    update-mime-database "$data/mime" 2>/dev/null || true
    update-desktop-database -q "$data/applications" 2>/dev/null || true
}

# Only what this script made: its own links, never a file of the same name by somebody else.
remove() {
    for name in toolplanner toolplanner-gui; do
        case $(readlink "$bin/$name" 2>/dev/null || true) in
            "$program"/*) rm "$bin/$name" ;;
        esac
    done
    rm -rf "$program"
    rm -f "$data/applications/toolplanner.desktop" "$data/mime/packages/toolplanner.xml"
    rm -f "$data"/icons/hicolor/*/apps/toolplanner.png
    rm -f "$data"/icons/hicolor/*/mimetypes/application-x-toolplanner.png
}

if [ "${1:-}" = --uninstall ]; then
    remove
    refresh
    echo "ToolPlanner is gone. Your workspaces and settings are untouched."
    exit 0
fi

remove
mkdir -p "$program" "$bin" "$data/applications" "$data/mime/packages"
cp -a "$here/toolplanner/." "$program"
cp "$here/install.sh" "$program/install.sh"
cp -a "$here/share/icons" "$data"
cp "$here/share/mime/packages/toolplanner.xml" "$data/mime/packages"
sed -e "s|^Exec=toolplanner-gui|Exec=\"$program/toolplanner-gui\"|" \
    -e "s|^TryExec=toolplanner-gui|TryExec=$program/toolplanner-gui|" \
    "$here/share/applications/toolplanner.desktop" >"$data/applications/toolplanner.desktop"
for name in toolplanner toolplanner-gui; do
    if [ -e "$bin/$name" ] || [ -L "$bin/$name" ]; then
        echo "$bin/$name is there already and was left as it is; start $program/$name instead." >&2
    else
        ln -s "$program/$name" "$bin/$name"
    fi
done
refresh
echo "ToolPlanner is installed. Start it from the menu, or with: $bin/toolplanner-gui"
case ":$PATH:" in
    *":$bin:"*) ;;
    *) echo "$bin is not on your PATH yet; after the next login it usually is." ;;
esac
echo "To take it away: sh $program/install.sh --uninstall"
