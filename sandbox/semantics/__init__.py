"""What any world shows, said in shared tokens by rule files; no policy has to know the world."""
