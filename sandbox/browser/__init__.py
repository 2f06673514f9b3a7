"""One Chromium: start it, see it, touch it, show it, fence it in."""
