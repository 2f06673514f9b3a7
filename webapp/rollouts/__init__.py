"""Policy versions, aliases and gray release."""
