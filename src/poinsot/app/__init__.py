"""The command line and the pages it writes; nothing else imports this package."""
