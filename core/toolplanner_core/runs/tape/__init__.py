"""What was recorded, fed back: replays, forks, and the answers both take from a log."""
