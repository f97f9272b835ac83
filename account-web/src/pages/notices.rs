//! What a page says about what has just been done.

use crate::words::Words;

/// Returns the sentence for a word in the address; `None` for any other word.
pub(super) fn text(done: &str, words: &'static Words) -> Option<&'static str> {
    let words = &words.notices;
    Some(match done {
        "site-added" => &words.site_added,
        "site-changed" => &words.site_changed,
        "check-started" => &words.check_started,
        "site-deleted" => &words.site_deleted,
        "field-added" => &words.field_added,
        "field-changed" => &words.field_changed,
        "field-deleted" => &words.field_deleted,
        "invitation-withdrawn" => &words.invitation_withdrawn,
        "role-changed" => &words.role_changed,
        "two-steps-saved" => &words.two_steps_saved,
        "member-removed" => &words.member_removed,
        "left" => &words.left,
        "token-deleted" => &words.token_deleted,
        "endpoint-changed" => &words.endpoint_changed,
        "endpoint-enabled" => &words.endpoint_enabled,
        "endpoint-disabled" => &words.endpoint_disabled,
        "endpoint-deleted" => &words.endpoint_deleted,
        "ping-sent" => &words.ping_sent,
        "resent" => &words.resent,
        "brand-saved" => &words.brand_saved,
        "judged" => &words.judged,
        "judgement-undone" => &words.judgement_undone,
        "judgements-dropped" => &words.judgements_dropped,
        "password-changed" => &words.password_changed,
        "password-set" => &words.password_set,
        "sharing-saved" => &words.sharing_saved,
        "share-revoked" => &words.share_revoked,
        "work-saved" => &words.work_saved,
        "work-removed" => &words.work_removed,
        "none-chosen" => &words.none_chosen,
        "too-many-chosen" => &words.too_many_chosen,
        "batch-gone" => &words.batch_gone,
        "notices-saved" => &words.notices_saved,
        "session-ended" => &words.session_ended,
        "sessions-ended" => &words.sessions_ended,
        "team-created" => &words.team_created,
        "plan-changed" => &words.plan_changed,
        "team-blocked" => &words.team_blocked,
        "team-unblocked" => &words.team_unblocked,
        "joined" => &words.joined,
        "signed-out" => &words.signed_out,
        "second-factor-off" => &words.second_factor_off,
        "sign-in-over" => &words.sign_in_over,
        _ => return None,
    })
}
