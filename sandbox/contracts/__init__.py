"""The shared vocabulary. Import from the modules; nothing here imports anything but msgspec."""
