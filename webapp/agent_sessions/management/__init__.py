"""Django finds the commands of this app here."""
