#!/bin/sh
# Try the packages in a minimal root of Debian with no Python in it, as a person new to it. As root:
#   sh packaging/linux/try_in_debian.sh bookworm|trixie FOLDER [DIST]
# FOLDER keeps the root of each release, so that the second time is quick; everything that this
# installs there is gone at its end. DIST has the packages: dist/. Needs debootstrap and Xvfb.
set -eu

release=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
dist=${3:-$checkout/dist}
fresh=$folder/$release-fresh
root=$folder/$release
person=anna

say() { printf '%s  %s\n' "$(date +%T)" "$*"; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
as_person() { chroot --userspec=$person:$person "$root" env -i "HOME=/home/$person" PATH=/usr/bin:/bin "$@"; }
leave() {
    # An AppImage is unmounted by a process of its own, which cannot inside a root.
    # Root may not even look at them, so they are found by their names.
    cut -d " " -f 2 /proc/mounts | grep "^$root/tmp/.mount_" | while read -r place; do
        umount -l "$place"
    done
    for place in tmp/.X11-unix dev/fuse dev/shm dev proc; do
        if mountpoint -q "$root/$place"; then umount -l "$root/$place"; fi
    done
}
files() { (cd "$root" && find bin etc opt usr home var/lib/dpkg/info -xdev \( -type f -o -type l \) 2>/dev/null | sort); }

if [ ! -e "$fresh/etc/debian_version" ]; then
    say "a new root of $release"
    debootstrap --variant=minbase "$release" "$fresh" >/dev/null
fi
rm -rf --one-file-system "$root"
cp -a "$fresh" "$root"
trap leave EXIT INT TERM
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
cp /etc/resolv.conf "$root/etc/resolv.conf"
inside useradd --create-home $person
test ! -e "$root/usr/bin/python3" || { say "there is a Python in it"; exit 1; }
inside apt-get update -qq

say "installing the .deb"
cp "$dist"/*.deb "$root/tmp/toolplanner.deb"
inside apt-get install -qq -y --no-install-recommends desktop-file-utils shared-mime-info xz-utils >/dev/null 2>&1
files >"$folder/$release.before"
inside apt-get install -qq -y --no-install-recommends /tmp/toolplanner.deb >"$folder/$release.apt" 2>&1
say "$(inside du -sm /opt/toolplanner | cut -f1) MB, $(inside dpkg-query -W | wc -l) packages in the root"
inside desktop-file-validate /usr/share/applications/toolplanner.desktop
touch "$root/home/$person/a.toolplanner"
grep -q '^application/x-toolplanner:\*.toolplanner$' "$root/usr/share/mime/globs"
grep -q 'application/x-toolplanner=toolplanner.desktop' "$root/usr/share/applications/mimeinfo.cache"
rm "$root/home/$person/a.toolplanner"

say "smoke test, no network"
python3 "$checkout/packaging/smoke_test.py" --root "$root" --user $person --no-network \
    --pictures "$folder/$release-pictures"

say "uninstalling"
inside apt-get purge -qq -y toolplanner >/dev/null 2>&1
files >"$folder/$release.after"
# What the dependencies brought stays until `apt autoremove`: look at what is ours.
comm -13 "$folder/$release.before" "$folder/$release.after" | grep -i toolplanner \
    | grep -iv "^home/$person/\(\.config\|\.cache\|\.local/share\|\.local/state\)/toolplanner/" \
    && { say "the uninstaller left the above"; exit 1; }

say "the archive, without root"
rm -rf "$root/home/$person/.config" "$root/home/$person/.cache" "$root/home/$person/.local"
(cd "$root" && find "home/$person" | sort) >"$folder/$release.home-before"
cp "$dist"/toolplanner-*-linux-*.tar.xz "$root/tmp/toolplanner.tar.xz"
as_person sh -c 'cd && mkdir unpacked && tar -xJf /tmp/toolplanner.tar.xz -C unpacked && sh unpacked/*/install.sh && rm -rf unpacked'
python3 "$checkout/packaging/smoke_test.py" --root "$root" --user $person --no-network \
    --programs "/home/$person/.local/bin"
as_person sh "/home/$person/.local/share/toolplanner-program/install.sh" --uninstall
(cd "$root" && find "home/$person" -type f | sort) >"$folder/$release.home-after"
comm -13 "$folder/$release.home-before" "$folder/$release.home-after" \
    | grep -iv "^home/$person/\(\.config\|\.cache\|\.local/share\|\.local/state\)/\(toolplanner\|fontconfig\|mesa\)" \
    | grep -v "^home/$person/.local/share/\(mime/\|applications/mimeinfo.cache\)" \
    && { say "the uninstaller left the above"; exit 1; }
for image in "$dist"/toolplanner-*.AppImage; do
    test -e "$image" || break
    say "the AppImage, mounted"
    inside apt-get install -qq -y --no-install-recommends libfuse2 fuse3 >/dev/null 2>&1
    # Desktops let everybody open it. Only here, not in the /dev of this machine:
    mount --make-private "$root/dev"
    mknod -m 666 "$root/tmp/fuse" c 10 229
    mount --bind "$root/tmp/fuse" "$root/dev/fuse"
    mkdir "$root/home/$person/Programs"
    cp "$image" "$root/home/$person/Programs/toolplanner-gui"
    ln -s toolplanner-gui "$root/home/$person/Programs/toolplanner"
    python3 "$checkout/packaging/smoke_test.py" --root "$root" --user $person --no-network \
        --programs "/home/$person/Programs"
done
say "done"
