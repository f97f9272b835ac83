//! The words of the pages, in the languages of reports.

use std::sync::LazyLock;

use a11ycheck_core::locale::Locale;
use serde::Deserialize;

/// Declares a struct for each table of a file of words, and one of all tables. A word that a language lacks, and one that is not
/// declared, is an error that a test finds; one that a template names without it being declared does not compile.
macro_rules! words {
    ($($table:ident: $type:ident { $($word:ident)* })*) => {
        /// The words of one language. What a word is for is explained beside it in `words/en.toml`.
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Words {
            $(pub(crate) $table: $type,)*
        }

        $(
            #[derive(Debug, Deserialize)]
            #[serde(deny_unknown_fields)]
            #[cfg_attr(
                not(all(feature = "logos", feature = "oidc")),
                allow(dead_code, reason = "the words of pages that are left out")
            )]
            pub(crate) struct $type {
                $(pub(crate) $word: String,)*
            }

            #[cfg(test)]
            impl $type {
                fn all(&self) -> Vec<(&'static str, &'static str, &str)> {
                    vec![$((stringify!($table), stringify!($word), self.$word.as_str()),)*]
                }
            }
        )*

        #[cfg(test)]
        impl Words {
            fn all(&self) -> Vec<(&'static str, &'static str, &str)> {
                [$(self.$table.all(),)*].concat()
            }
        }
    };
}

words! {
    common: Common {
        product skip team_menu account_menu language change_language sign_out error_summary error_prefix cancel back yes no
        name email role created actions delete previous_page next_page pages_of_list details
    }
    nav: Nav { sites members tokens endpoints brand usage audit teams profile operator failing work unfinished }
    errors: Errors {
        not_found_title not_found_text forbidden_title forbidden_text blocked_title blocked_text forged_title forged_text
        unavailable_title unavailable_text server_title server_text too_many_title too_many_text
    }
    problems: Problems {
        required missing_name missing_note missing_events missing_choices missing_elements missing_file
        too_long too_many not_in_list not_url not_public not_https endpoint_limit endpoint_off delivery_pending
        site_limit check_active manual_too_soon other email password_short password_long password_same_as_email password_wrong
        address_taken already_member no_free_seat last_owner too_many_invitations role colour brand_name blank_name ability
        too_short not_date date_out_of_range too_many_judgements verdict repeated ambiguous
        too_many_shares too_many_assignments
        taken in_use outcome
    }
    notices: Notices {
        site_added site_changed check_started site_deleted invitation_withdrawn role_changed member_removed left token_deleted
        endpoint_changed endpoint_enabled endpoint_disabled endpoint_deleted ping_sent resent brand_saved password_changed
        session_ended sessions_ended team_created plan_changed team_blocked team_unblocked joined signed_out
        judged judgement_undone judgements_dropped second_factor_off sign_in_over
        password_set notices_saved
        sharing_saved share_revoked
        work_saved work_removed
        none_chosen too_many_chosen batch_gone
        field_added field_changed field_deleted two_steps_saved
        assessed nothing_assessed
    }
    sign_in: SignIn {
        title email password submit wrong wait no_account
        forgotten
    }
    first: First { title lead name email password password_hint submit gone_title gone_text team demo_lead demo_submit own_title }
    join: Join { title lead lead_known name password submit submit_known gone_title gone_text sign_in_first other_person }
    teams: Teams {
        title none_title none_text none_operator role_in
    }
    roles: Roles { owner member viewer unknown owner_hint member_hint viewer_hint }
    sites: Sites {
        title add search search_submit tag none_title none_text none_found clear caption site status last_check problems change
        next_check never failed running queued worse better same show all only_failing export import
    }
    add_site: AddSite {
        title edit_title edit_submit url url_hint name name_hint report_language tags tags_hint platform platform_hint standard standard_default first_check
        submit
    }
    roll_up: RollUpWords {
        title link lead caption tag sites checked failing without_problems problems
        field_caption
    }
    site_fields: SiteFieldWords {
        title link lead none caption kind kind_text kind_choice choices choices_hint used change add_title add_name add_name_hint
        add_submit change_title change_text change_submit delete_title delete_text delete_submit no_value any
    }
    import: Import {
        title lead columns file file_hint first_checks submit done_title added changed unchanged refused refused_caption line
        column reason ignored not_utf8 no_url_column too_many_lines
    }
    site: SiteWords {
        check_now check_running edit delete history history_caption date kind result new fixed scheduled manual report_language
        tags platform standard next_check chart chart_text no_checks
        every_day every_week every_month due_now no_schedule
        check_changed check_changed_hint manual_changed
    }
    delete_site: DeleteSite { title text submit }
    check: Check {
        title queued_title queued_text running_title running_text pages_done attempt failed_title failed_advice reload total
        places new fixed remaining first_title first_text rules_title nothing recommendations_title to_check_title
        to_check_text pages_title pages_caption page problems note files_title files_text pdf pdf_full html csv json jira
        github acr_html acr_docx acr_pdf not_in_plan picture_of selector html_code how_to_fix platform_tip found_on compared
        accepted_of decided_of judgements accept decide change
    }
    judge: Judge {
        accept_title decide_title accept_text decide_text why what false_positive false_positive_hint not_ours not_ours_hint
        planned planned_hint wont_fix wont_fix_hint barrier barrier_hint no_barrier no_barrier_hint later later_hint unknown
        note note_hint note_optional until until_hint until_optional until_day reach reach_element reach_template
        reach_template_hint submit undo by back expired changed
        reach_rule reach_rule_hint
        not_applicable not_applicable_hint
    }
    judgements: Judgements {
        title lead none caption element decision state holds gone not_seen stale stale_text drop
    }
    members: Members {
        title caption person since change_role remove leave seats invite_title invite_text invite_submit invitations_title
        invitations_caption invited_until withdraw link_title link_text you role_of
        mailed_text
        second_step two_steps_title two_steps_on two_steps_off two_steps_submit two_steps_stop two_steps_own_first
    }
    tokens: Tokens {
        title lead caption abilities read write create_title create_name create_name_hint create_submit made_title made_text
        try_it none
        created_by last_used never_used belongs
    }
    endpoints: Endpoints {
        title lead caption url on off off_since create_title create_url create_url_hint create_events create_submit secret_title
        secret_text none event_completed event_new_issues change_title change_submit rotate_title rotate_text rotate_submit
        ping_title ping_text ping_submit enable_submit disable_submit disable_text enable_text delete_title delete_text
        delete_submit deliveries_title deliveries_caption deliveries_none event when state attempts pending delivered failed
        dropped next_attempt delivery_title attempts_caption attempt started took answer resend answered no_answer event_ping
        event_other failing log_title log_link log_filter log_endpoint log_all log_since log_submit log_none resend_failed_title
        resend_failed_text resend_failed_since resend_failed_submit resent_text resent_more overlap overlap_none overlap_day
        overlap_week overlap_month
    }
    brand: Brand {
        title lead not_in_plan name name_hint colour colour_hint submit preview preview_text logo_title logo_current logo_file
        logo_hint logo_submit logo_remove logo_bytes logo_pixels logo_format logo_damaged
    }
    usage: Usage {
        title plan status status_trialing status_active status_past_due status_canceled status_unknown ends_at sites_used
        seats_used pages_per_check history interval requests files manual_available features feature_api feature_exports
        feature_white_label feature_acr included not_included caption what limit
    }
    audit: Audit {
        title lead caption when who what subject from none person_created signed_in signed_out password_changed member_invited
        invitation_withdrawn member_joined role_changed member_removed site_added site_changed site_deleted check_started
        token_created token_deleted endpoint_created endpoint_changed endpoint_switched endpoint_deleted event_sent
        brand_changed team_created plan_changed team_blocked team_unblocked sites_imported element_judged judgement_undone
        second_factor_enabled second_factor_disabled recovery_code_used recovery_codes_replaced
        report_shared report_unshared sharing_changed
        finding_assigned assignment_changed assignment_removed assignment_reopened
        site_field_added site_field_changed site_field_deleted second_factor_demand_changed
        criterion_assessed
    }
    profile: Profile {
        title your_data password_title password_text current new submit sessions_title sessions_text sessions_caption browser
        begun last_used this_one end end_others person_address
        notices_title notices_text notices_on notices_submit
    }
    no_notices: NoNoticesWords {
        title text submit done_title done_text gone_title gone_text
    }
    forgotten: ForgottenWords {
        title lead submit sent_title sent_text new_title new_submit gone_title gone_text
    }
    mail: MailWords {
        invitation_subject invitation_text reset_subject reset_text reset_ignore failed_subject failed_text failed_link
        off_subject off_text off_link switch_off
    }
    share: ShareWords {
        title link lead off switch_on switch_off days days_of submit made_title made_text caption made_by until revoke none
        shared_lead
    }
    operator: OperatorWords {
        title teams_title teams_caption team plan standing active blocked create_title create_name create_plan create_own
        create_submit people_title people_caption queue_title queue_caption kind waiting oldest requested scheduled deliveries
        people_link audit_link change_plan change_plan_submit block block_text block_submit unblock unblock_text
        unblock_submit shortened operates running_title running_caption running_none check begun attempt pages state
        running_well stuck stuck_text off_title off_caption address off_since process_title last_schedule last_purge not_here
        settings_title settings_text
        mail_title mail_off mail_waiting mail_none_failed mail_caption mail_given_up mail_reason mail_invitation mail_reset
        mail_check_failed mail_endpoint_off
    }
    elements: ElementsWords {
        title link tabs tab_all tab_new tab_fixed tab_accepted tab_review at all_pages none left_out fixed_text fixed_caption rule
        this_check was fixed_listed fixed_gone
    }
    work: WorkWords {
        title lead filter whose me everybody nobody show unfinished all_states site all_sites filter_submit none caption what
        assignee state due due_optional due_hint overdue reopened again again_link open doing done unknown scope scope_element
        scope_template scope_rule in_check assign assign_title change change_title assigned_by save remove link not_assigned
    }
    bulk: BulkWords {
        legend selected all_of_list accept decide assign pick accept_title decide_title assign_title count undo_hint
        reach_elements reach_templates reach_rules submit back saved undo_until undo undone kept
    }
    criteria: CriteriaWords {
        title link lead counts counts_short filter show show_all show_open filter_submit none_open assess caption criterion check
        assessment not_assessed beyond no_check failures undecided nothing not_tested old contradicted unknown form_lead leave
        not_looked take_back note note_hint submit back by
    }
    provider: ProviderWords { submit unavailable refused over cancelled no_account }
    second_step: SecondStep { title code code_hint lost wrong }
    second_factor: SecondFactorWords {
        title lead is_on is_off on_link change_link on_title scan qr secret code_hint on_submit on_since codes_left change_title
        change_text codes_submit off_submit codes_shown_title codes_shown_text codes_kept
        demanded
    }
}

impl Words {
    /// Returns the words of a language.
    pub(crate) fn of(locale: Locale) -> &'static Self {
        macro_rules! language {
            ($file:literal) => {{
                static WORDS: LazyLock<Words> = LazyLock::new(|| read(include_str!(concat!("../words/", $file))));
                &WORDS
            }};
        }
        match locale {
            Locale::En => language!("en.toml"),
            Locale::Uk => language!("uk.toml"),
            Locale::De => language!("de.toml"),
            Locale::Pl => language!("pl.toml"),
            Locale::Cs => language!("cs.toml"),
            Locale::Ro => language!("ro.toml"),
            Locale::Ru => language!("ru.toml"),
        }
    }
}

fn read(file: &str) -> Words {
    // A test reads each file.
    toml::from_str(file).expect("the file has all words")
}

/// Returns the name of a language in itself, for choosing it.
pub(crate) const fn own_name(locale: Locale) -> &'static str {
    match locale {
        Locale::En => "English",
        Locale::Uk => "Українська",
        Locale::De => "Deutsch",
        Locale::Pl => "Polski",
        Locale::Cs => "Čeština",
        Locale::Ro => "Română",
        Locale::Ru => "Русский",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn places(text: &str) -> BTreeSet<&str> {
        text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
    }

    #[test]
    fn every_language_has_every_word_with_the_same_places_for_values() {
        let english = Words::of(Locale::En).all();
        for locale in Locale::ALL {
            for ((table, word, text), (_, _, model)) in Words::of(locale).all().into_iter().zip(&english) {
                assert!(!text.trim().is_empty(), "{locale}: {table}.{word}");
                assert_eq!(places(text), places(model), "{locale}: {table}.{word}: {text}");
                assert!(!text.contains(['<', '>']), "{locale}: {table}.{word}: {text}");
            }
        }
    }
}
