"""Words that invented API documents are made from: what there is, what it has, and what can be done to it."""

from collections.abc import Mapping


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SUBJECTS: Mapping[str, tuple[str, ...]] = {
    subject: _words(nouns)
    for subject, nouns in {
        "Registry": "repository artifact image_tag mirror retention_rule scanner webhook quota label robot_user",
        "Clinic": "patient appointment ward treatment_plan device_check referral nurse_rota lab_order bed insurer",
        "Fleet": "vehicle driver depot trip service_visit fuel_card tracker route inspection tyre_set",
        "Campus": "course lecture_hall enrolment tutor exam timetable_slot scholarship library_card thesis club",
        "Harvest": "field_plot crop irrigation_zone sensor harvest_run storage_bin soil_test greenhouse feed_batch",
        "Studio": "project scene asset render_job shot licence_seat review_note playlist export_preset palette",
        "Payments": "merchant payout dispute terminal settlement_batch fee_plan refund_request mandate ledger_entry",
        "Network": "switch vlan access_point firewall_policy route_table vpn_tunnel address_pool port_profile probe",
        "Support": "case queue macro escalation_rule survey agent_group knowledge_article business_hour canned_reply",
        "Catering": "kitchen menu recipe supplier delivery_slot allergen_note cold_store tasting purchase_list",
        "Warehouse": "aisle pallet picker_cart dock_door shipment carrier cycle_count bin_location return_case",
        "Builds": "pipeline runner build_agent artifact_store trigger environment_gate secret_scan release_note cache",
        "Monitoring": "alert_rule dashboard silence contact_point collector uptime_check maintenance_window log_index",
        "Identity": "directory sign_in_policy identity_provider session_rule consent_screen user_group invitation",
        "Stay": "property room rate_plan booking guest_note housekeeping_task minibar_item season_rule channel",
        "Energy": "meter tariff feeder outage_report solar_array battery_bank load_profile crew work_order",
        "Events": "venue ticket_type speaker session_slot sponsor badge_template seating_plan exhibitor checkpoint",
        "Data": "dataset connector sync_job schema_version quality_check data_owner share_link retention_policy view",
        "Parks": "trail permit ranger_post shelter wildlife_report gate_code visitor_pass picnic_site closure_notice",
        "Messaging": "channel template campaign recipient_list sender_number opt_out bounce_rule delivery_window",
        "Compute": "node_pool volume snapshot_policy load_balancer placement_group gpu_reservation launch_template",
        "Library": "title_record branch loan shelf_mark reading_room reservation acquisition binding_order donor",
        "Robotics": "arm gripper cell motion_program calibration_run safety_zone tool_changer firmware_image conveyor",
        "Legal": "matter contract_draft clause counterparty hearing filing_deadline retainer evidence_item",
    }.items()
}
NAMED_BY = ("name", "name", "name", "title", "label", "display_name", "hostname", "code")
TEXTS = _words(
    "description owner location region contact notes source comment category remark room city manufacturer model "
    "serial_number building purpose department vendor address reason colour floor summary responsible_person"
)
NUMBERS: tuple[tuple[str, int, int], ...] = (
    ("size", 1, 500),
    ("capacity", 1, 2_000),
    ("priority", 1, 9),
    ("weight_kg", 1, 900),
    ("port", 1_024, 65_000),
    ("timeout_seconds", 1, 900),
    ("max_retries", 0, 20),
    ("quantity", 1, 400),
    ("interval_minutes", 1, 720),
    ("retention_days", 1, 365),
    ("replicas", 1, 30),
    ("threshold", 1, 100),
    ("seats", 1, 300),
    ("budget", 10, 9_000),
    ("score", 0, 100),
)
CHOICES: Mapping[str, tuple[str, ...]] = {
    name: _words(values)
    for name, values in {
        "tier": "free basic standard premium",
        "visibility": "public internal private",
        "mode": "automatic manual scheduled",
        "protocol": "http https tcp udp",
        "severity": "info warning critical",
        "frequency": "hourly daily weekly monthly",
        "unit": "piece box pallet litre",
        "language": "en de fr zh es",
        "shift": "early late night",
        "format": "json csv parquet xml",
        "direction": "inbound outbound both",
        "strategy": "round_robin least_used random",
        "currency": "EUR USD CHF JPY",
        "grade": "A B C D",
        "origin": "import export local",
        "kind": "primary secondary spare",
        "climate": "dry humid frozen",
        "audience": "everyone members staff",
    }.items()
}
SWITCHES = _words("enabled encrypted shared public notify urgent refundable verified read_only insured monitored paid")
DATES = _words("starts_on expires_on due_date valid_until delivered_on next_check inspected_on")
LISTS = _words("labels keywords equipment zones languages")
NESTED: Mapping[str, tuple[str, ...]] = {
    "schedule": ("frequency", "interval_minutes"),
    "limits": ("capacity", "timeout_seconds"),
    "place": ("building", "floor"),
    "billing": ("currency", "budget"),
    "delivery": ("direction", "max_retries"),
}
CONTRARIES = (
    ("start", "stop"),
    ("lock", "unlock"),
    ("enable", "disable"),
    ("archive", "restore"),
    ("pause", "resume"),
    ("publish", "unpublish"),
    ("open", "close"),
    ("mute", "unmute"),
)
DEEDS = _words("restart refresh recalibrate resend revalidate approve renew reindex duplicate escalate test sync audit")
