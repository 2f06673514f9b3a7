"""German texts of what the console answers: refusals, what quotas count, and several of a kind."""

ANSWERS = {
    "The service did not answer. Nothing was changed; try again.": (
        "Anfrage fehlgeschlagen, nichts wurde geändert. Versuchen Sie es noch einmal."
    ),
    "No answer came in time. Look whether it was done before trying again.": (
        "Es kam keine Antwort. Sehen Sie nach, ob es getan ist, ehe Sie es noch einmal versuchen."
    ),
    "The request did not reach the server.": "Anfrage fehlgeschlagen: sie kam nicht an.",
    "There is no such object any more.": "Das gibt es nicht mehr.",
    "This cannot be set here.": "Das kann hier nicht gesetzt werden.",
    "The same tag stands twice.": "Dasselbe Merkmal steht zweimal da.",
    "Enter a whole number.": "Geben Sie eine ganze Zahl ein.",
    "Enter a date, such as 2027-06-30.": "Geben Sie ein Datum ein, etwa 2027-06-30.",
    "Enter an e-mail address, such as ops@example.org.": "Geben Sie eine E-Mail-Adresse ein, etwa ops@example.org.",
    "Enter a network in CIDR form, such as 10.0.0.0/8.": (
        "Geben Sie ein Netz in CIDR-Schreibweise ein, etwa 10.0.0.0/8."
    ),
    "Enter a network in CIDR form, such as 10.0.0.0/8 ({why}).": (
        "Geben Sie ein Netz in CIDR-Schreibweise ein, etwa 10.0.0.0/8."
    ),
    "Choose yes or no.": "Wählen Sie Ja oder Nein.",
    "Choose one of: {choices}.": "Wählen Sie unter: {choices}.",
    "Use at most {count} characters.": "Höchstens {count} Zeichen.",
    "Enter a date after {day}.": "Geben Sie ein Datum nach dem {day} ein.",
    "Enter more than {before}: it can grow, never shrink.": "Mehr als {before}: wachsen geht, schrumpfen nicht.",
    "Enter {minimum} or more.": "Mindestens {minimum}.",
    "Enter {maximum} or less.": "Höchstens {maximum}.",
    "{tag} is no tag: use up to 30 lower-case letters, digits and hyphens.": (
        "{tag} ist kein Merkmal: bis zu 30 Kleinbuchstaben, Ziffern und Bindestriche."
    ),
    "{refused} of {count} refused. {label}: {why}": "{refused} von {count} abgelehnt. {label}: {why}",
    "{refused} of {count} refused. {label} is gone": "{refused} von {count} abgelehnt. {label} gibt es nicht mehr",
    "There is already {one} named {name}.": "{one} {name} gibt es bereits.",
    "There is no {kind} named {name}.": "{kind} {name} gibt es nicht.",
    "{name} is in {there}, not in {here}.": "{name} liegt in {there}, nicht in {here}.",
    "Quota exceeded: at most {limit} {what}.": "Kontingent erschöpft: höchstens {limit} {what}.",
    "It is in use by {user}.": "Es wird bereits benutzt: {user}.",
    "{verb} is not possible while it is {state}.": "Im Zustand „{state}“ geht das nicht: {verb}.",
    "Type {label} to confirm.": "Geben Sie zur Bestätigung {label} ein.",
    "{title} is required.": "{title} fehlt.",
    "Use {rule}.": "Erlaubt: {rule}.",
    "a domain such as shop.example.org": "ein Domänenname wie shop.example.org",
    "3 to 40 lower-case letters, digits and hyphens, beginning with a letter, not ending with a hyphen": (
        "3 bis 40 Kleinbuchstaben, Ziffern und Bindestriche, vorn ein Buchstabe, hinten kein Bindestrich"
    ),
    "2 to 31 letters, digits and _": "2 bis 31 Buchstaben, Ziffern und _",
    "an address that begins with https://": "eine Adresse, die mit https:// beginnt",
    "a path that begins with /": "ein Pfad, der mit / beginnt",
}
QUOTAS = {
    "rules in this group": "Regeln in dieser Gruppe",
    "channels": "Meldewege",
    "accounts in this database": "Konten in dieser Datenbank",
    "subnets in this network": "Teilnetze in diesem Netz",
    "pools": "Verbünde",
    "listeners of this load balancer": "Eingänge dieses Lastverteilers",
    "instances": "Instanzen",
    "load balancers": "Lastverteiler",
    "keys for SSH": "SSH-Schlüssel",
    "alarms": "Alarme",
    "disks": "Datenträger",
    "members of this pool": "Mitglieder dieses Verbunds",
    "certificates": "Zertifikate",
    "GB of disk": "GB auf Datenträgern",
    "buckets": "Ablagen",
    "snapshots": "Momentaufnahmen",
    "networks": "Netze",
    "users": "Benutzer",
    "security groups": "Sicherheitsgruppen",
    "instance groups": "Instanzgruppen",
    "databases": "Datenbanken",
    "access keys of this user": "Zugangsschlüssel dieses Benutzers",
    "public addresses": "öffentliche Adressen",
}
SEVERAL = {"several SSH keys": "SSH-Schlüssel"}
