"""Attempts at tickets: sessions, steps, approvals, takeover, labels, and the host that runs them."""
