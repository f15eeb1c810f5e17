"""What every room stands on: errors a user can fix, files written whole or not at all, the device, the code at work."""
