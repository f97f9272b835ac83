//! The list of all areas and cases.

/// Hands the names of all areas, or an area with the names of its cases, to [`store_suite!`](crate::store_suite).
#[doc(hidden)]
#[macro_export]
macro_rules! store_cases {
    // The only list: a test is made for each name here, and `run` knows no others. A case that is missing is unused
    // code in its file, a name without a case does not compile.
    ($made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            teams later_release rate_limits sites scans manual_checks schedule claims leases completion memos findings files
            texts history retention deletion team_deletion scan_events endpoints events deliveries delivery_log switch_off
            hints isolation site_concurrency scan_concurrency team_concurrency delivery_concurrency sealing settings model
            outbox_model
        }
    };
    (teams $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            teams {
                time_is_the_clocks_truncated_to_microseconds,
                a_new_store_is_empty,
                plans_are_listed_by_code_as_they_were_put,
                a_plan_that_is_put_again_replaces_the_one_of_its_code,
                no_plans_put_changes_nothing,
                plans_are_seeded_only_where_there_is_none,
                plans_that_are_missing_are_added_and_those_that_are_there_stay,
                a_plan_that_is_put_shows_whose_history_it_shortens,
                a_plan_that_no_team_is_on_is_deleted_and_others_stay,
                a_plan_that_a_team_is_on_is_not_deleted,
                a_changed_plan_holds_for_its_teams_at_once,
                a_new_team_is_in_good_standing,
                a_team_on_an_unknown_plan_is_not_created,
                a_key_leads_to_the_team_that_was_created_under_it,
                a_key_is_compared_exactly,
                a_key_with_an_unknown_plan_creates_nothing_and_finds_what_is_there,
                the_key_of_a_deleted_team_is_free_again,
                what_is_asked_of_no_team_is_answered_with_nothing,
                teams_are_listed_by_creation_then_id_page_by_page,
                a_blocked_team_is_blocked_until_it_is_unblocked,
                a_team_changes_plan_and_terms,
                a_change_to_an_unknown_plan_changes_nothing,
                a_plan_change_leaves_sites_and_checks_as_they_are,
                a_plan_of_more_checks_brings_the_next_ones_forward_and_one_of_fewer_puts_none_off,
                a_brand_comes_back_whole_and_the_last_one_set_stays,
                a_brand_stays_when_the_plan_changes,
                a_token_reads_as_it_was_created,
                the_last_day_of_a_tokens_use_is_noted_and_never_goes_back,
                tokens_are_listed_by_creation_then_id,
                a_deleted_token_admits_no_later_request,
                a_taken_id_or_hash_is_refused_and_changes_nothing,
            }
        }
    };
    (later_release $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            later_release {
                what_a_later_release_stored_with_a_plan_comes_back_and_stays_when_the_plan_is_put_again,
                an_ability_of_a_later_release_comes_back_with_its_token,
                a_failure_code_of_a_later_release_comes_back_with_its_check,
                a_changed_endpoint_listens_to_the_kinds_of_a_later_release_as_before,
                an_event_of_a_later_release_is_delivered_as_any_other,
                a_logo_of_a_later_release_comes_back_whole,
            }
        }
    };
    (rate_limits $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            rate_limits {
                an_unknown_token_is_not_admitted,
                an_admitted_request_comes_with_team_plan_token_and_time,
                a_token_has_the_plans_number_of_requests_until_its_window_ends,
                a_file_counts_against_both_counters_and_when_refused_against_none,
                admission_is_what_the_domain_says_it_is,
                a_request_that_is_given_back_counts_against_no_counter,
                what_an_earlier_window_counted_is_not_given_back_to_the_present_one,
                a_request_that_arrived_before_its_window_began_is_given_back_to_it,
                giving_back_is_what_the_domain_says_it_is,
                each_token_has_counters_of_its_own,
                a_blocked_lapsed_or_apiless_team_is_refused_as_such_and_its_requests_count,
                a_new_limit_holds_within_a_window_that_has_begun,
                addresses_are_counted_apart_under_the_limits_given,
                an_addresss_window_reopens_at_its_end_and_not_before,
            }
        }
    };
    (sites $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            sites {
                a_site_reads_as_it_was_added,
                a_first_check_is_queued_with_its_site,
                a_site_of_no_team_is_not_added,
                a_team_has_the_plans_number_of_sites_and_no_more,
                a_plan_without_sites_admits_none,
                a_changed_site_keeps_its_address_and_its_checks,
                a_deleted_site_makes_room_for_another,
                a_plan_of_fewer_sites_keeps_those_that_are_there,
                one_address_may_be_added_twice,
                a_taken_site_id_is_refused_and_changes_nothing,
                sites_are_listed_by_the_bytes_of_their_domain_then_id,
                pages_of_sites_skip_none_and_repeat_none,
                a_page_of_sites_beyond_the_end_is_empty_and_has_the_total,
                a_tag_is_matched_whole_and_letter_by_letter,
                a_tags_pages_are_those_of_its_sites_alone,
                a_site_that_is_added_once_is_the_one_that_is_there,
                a_site_is_failing_from_a_failed_check_until_one_completes,
                failing_sites_are_listed_as_sites_are_by_tag_and_page,
                usage_counts_sites_and_those_on_which_a_check_could_start,
            }
        }
    };
    (scans $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            scans {
                a_check_that_is_not_there_is_none,
                checks_are_listed_newest_first_then_greatest_id,
                pages_of_checks_skip_none_and_repeat_none,
                a_listed_check_reads_as_it_does_by_itself,
                the_latest_completed_check_is_the_one_that_completed_last,
                the_problems_of_each_sites_latest_completed_check_are_listed,
                a_trend_ends_with_its_check_and_has_the_latest_oldest_first,
                checks_that_completed_at_once_are_in_a_trend_by_id,
                a_trend_of_a_check_that_is_not_completed_is_empty,
                an_express_report_bought_for_a_check_stays_bought,
                an_outcome_reads_as_it_was_stored,
                a_taken_check_id_is_refused_and_changes_nothing,
            }
        }
    };
    (manual_checks $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            manual_checks {
                a_manual_check_is_queued_with_the_plans_number_of_pages,
                a_check_keeps_the_depth_that_was_asked_for_through_every_state,
                a_site_that_is_not_there_is_not_checked,
                a_site_with_a_queued_or_running_check_gets_no_second,
                an_active_check_is_refused_as_such_before_an_interval,
                a_manual_check_starts_when_the_interval_is_over_and_not_before,
                a_months_interval_follows_the_calendar,
                the_interval_is_that_of_the_plan_of_now,
                a_failed_manual_check_counts_for_the_interval,
                a_manual_check_that_failed_through_our_fault_is_given_back,
                a_manual_check_whose_workers_were_lost_is_given_back,
                one_manual_check_is_given_back_in_an_interval,
                a_manual_check_that_is_given_back_leaves_the_one_before_to_count,
                a_scheduled_check_that_failed_through_our_fault_gives_nothing_back,
                a_purged_manual_check_counts_for_the_interval,
                a_scheduled_check_does_not_count_for_the_interval,
                a_refused_manual_check_does_not_prolong_the_interval,
                each_site_has_an_interval_of_its_own,
                a_blocked_teams_manual_check_is_not_judged_here,
            }
        }
    };
    (schedule $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            schedule {
                a_check_is_queued_when_its_sites_time_has_come_and_not_before,
                a_site_whose_time_came_several_times_over_is_queued_once,
                a_site_moves_on_by_the_frequency_of_the_plan_of_now,
                a_site_with_an_active_check_gets_no_second_and_moves_on,
                a_blocked_teams_sites_are_not_queued_and_move_on,
                a_lapsed_plans_sites_are_not_queued_from_its_end_on,
                no_more_sites_than_the_limit_are_moved_on_those_due_first_before_others,
                sites_that_are_only_moved_on_count_towards_the_limit,
            }
        }
    };
    (claims $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            claims {
                an_empty_queue_gives_nothing,
                a_claimed_check_runs_under_a_lease_of_the_worker,
                the_longest_waiting_check_of_a_team_is_given_first_then_the_least_id,
                a_check_that_somebody_waits_for_begins_before_scheduled_ones,
                requested_checks_do_not_put_a_scheduled_one_off_for_more_than_six_hours,
                the_team_with_the_fewest_running_checks_is_served_first,
                a_check_whose_worker_was_lost_is_in_nobodys_share,
                a_claimed_check_is_given_again_when_its_lease_ends_and_not_before,
                a_check_whose_lease_ended_keeps_its_place,
                a_check_whose_attempt_broke_is_left_to_other_nodes_first,
                a_check_whose_worker_was_lost_is_left_to_other_nodes_first,
                a_node_that_is_alone_takes_its_check_again_in_the_end,
                a_check_that_is_left_to_other_nodes_holds_no_other_up,
                a_check_of_a_team_that_was_blocked_since_is_given_all_the_same,
                a_check_that_lost_three_workers_is_given_up,
                a_third_worker_that_lives_is_not_given_up,
                checks_that_are_given_up_hold_no_other_up,
                depth_counts_what_is_due_and_shows_since_when_the_first_waits,
                depth_distinguishes_checks_that_somebody_waits_for_from_those_of_the_schedule,
            }
        }
    };
    (leases $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            leases {
                a_renewed_lease_lasts_a_term_from_now_and_records_the_pages,
                running_checks_of_all_teams_are_listed_those_that_began_first_before_others,
                a_lease_that_ended_but_was_not_taken_is_the_holders_still,
                an_old_token_is_refused_and_changes_nothing,
                a_check_that_nobody_claimed_can_not_be_moved,
                a_check_that_ended_stays_as_it_is,
                a_check_that_never_was_is_gone,
                a_check_that_is_handed_back_is_due_at_once_and_the_attempt_is_not_counted,
                a_check_that_is_handed_back_is_due_at_once_on_the_same_node,
                a_check_to_be_retried_is_due_after_the_delay_and_the_attempt_counts,
                a_third_retry_is_refused_and_the_check_stays_with_its_holder,
            }
        }
    };
    (completion $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            completion {
                a_completed_check_shows_state_numbers_findings_and_pictures,
                a_check_that_is_not_completed_shows_no_result,
                a_refused_result_is_dropped_whole,
                a_site_whose_check_ended_is_free_for_the_next,
                a_failed_check_says_why_and_how_far_it_came,
                every_reason_of_a_failure_reads_as_it_was_stored,
            }
        }
    };
    (memos $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            memos {
                a_memo_comes_back_with_its_check_byte_for_byte,
                a_later_check_replaces_the_memo_and_one_without_deletes_it,
                a_refused_result_leaves_the_memo_as_it_was,
                a_memo_stays_when_a_check_fails,
                a_memo_is_of_its_site_and_team_and_goes_with_them,
            }
        }
    };
    (findings $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            findings {
                five_thousand_findings_come_back_in_their_order,
                only_completed_checks_of_the_team_are_opened,
                no_findings_are_findings_too,
                every_field_of_a_finding_comes_back,
                the_longest_texts_of_findings_come_back,
            }
        }
    };
    (files $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            files {
                pictures_come_back_byte_for_byte,
                a_picture_that_is_not_there_is_none,
                the_first_pages_picture_is_none_of_the_elements,
                each_check_has_pictures_of_its_own,
                a_document_comes_back_byte_for_byte_and_the_last_one_put_stays,
                a_document_is_kept_for_completed_checks_of_the_team_alone,
                documents_go_with_their_check,
                a_store_in_order_says_that_files_can_be_kept,
            }
        }
    };
    (texts $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            texts {
                names_in_any_script_come_back,
                sites_in_any_script_and_language_come_back,
                findings_in_any_script_come_back,
                very_long_texts_come_back,
                texts_with_nul_reach_the_store_without_it,
                instants_come_back_to_the_microsecond,
            }
        }
    };
    (history $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            history {
                a_check_leaves_the_history_after_its_months_and_not_at_their_end,
                the_latest_completed_check_stays_in_the_history_until_there_is_a_later_one,
                an_active_check_is_in_the_history_however_old,
                what_left_the_history_is_in_no_total_and_in_no_trend,
                a_plan_of_a_longer_history_shows_again_what_was_not_purged,
            }
        }
    };
    (retention $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            retention {
                what_left_the_history_is_deleted_with_findings_and_files,
                the_latest_completed_and_active_checks_are_not_purged,
                a_purge_deletes_no_more_than_its_limit_and_says_how_many,
                each_teams_checks_are_purged_by_its_own_plan,
                a_move_of_a_purged_check_is_answered_with_gone,
                a_shortened_history_hides_at_once_and_purges_nothing_for_24_hours,
                a_team_put_on_a_plan_of_a_shorter_history_loses_nothing_for_24_hours,
                a_shortened_history_that_is_put_back_in_time_brings_everything_back,
                a_check_that_ends_does_not_end_a_hold,
                each_shortening_holds_for_24_hours_of_its_own,
                a_history_that_is_not_shortened_holds_nothing_off,
                a_team_whose_first_check_ends_during_a_hold_loses_nothing,
            }
        }
    };
    (deletion $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            deletion {
                a_deleted_site_is_gone_with_checks_findings_and_files,
                a_site_that_is_not_there_is_not_deleted,
                a_deleted_sites_queued_check_is_given_to_no_worker,
                a_worker_that_checks_a_deleted_site_learns_so_and_its_result_is_dropped,
                a_deleted_site_never_falls_due,
                a_site_added_in_place_of_a_deleted_one_begins_anew,
            }
        }
    };
    (team_deletion $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            team_deletion {
                a_deleted_team_is_gone_with_all_that_it_had,
                a_team_that_is_not_there_is_not_deleted,
                a_deleted_team_leaves_every_other_as_it_is,
                a_deleted_teams_checks_are_given_to_no_worker_and_its_sites_never_fall_due,
                a_worker_that_checks_a_deleted_teams_site_learns_so_and_its_result_is_dropped,
                nothing_more_is_delivered_to_a_deleted_team,
                a_purge_finds_nothing_of_a_deleted_team,
                a_team_created_with_a_deleted_ones_id_begins_with_nothing,
            }
        }
    };
    (scan_events $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            scan_events {
                nothing_is_logged_of_a_check_that_only_waits,
                each_beginning_and_each_end_of_a_check_is_logged_with_its_ids,
                a_check_that_is_attempted_again_starts_again,
                a_check_that_lost_its_last_worker_is_logged_as_given_up,
                what_is_refused_is_not_logged,
                a_reader_goes_on_where_it_ended,
                what_happens_from_now_on_has_later_positions_than_the_newest,
                an_entry_is_kept_for_a_day_and_purged_after_it,
                a_purge_of_entries_deletes_the_oldest_and_no_more_than_its_limit,
                a_reader_that_missed_what_was_purged_learns_so,
                entries_of_what_was_deleted_are_read_as_before,
                readers_beside_many_writers_miss_nothing_and_agree_on_the_order,
                purges_beside_readers_and_writers_delete_each_entry_once_and_hide_none,
            }
        }
    };
    (endpoints $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            endpoints {
                an_endpoint_reads_as_it_was_created,
                endpoints_are_listed_by_creation_then_id,
                a_team_has_five_endpoints_and_no_more,
                an_endpoint_of_no_team_is_not_created,
                a_taken_endpoint_id_is_refused_and_changes_nothing,
                a_changed_endpoint_receives_what_it_listens_to_now_at_its_new_address,
                a_replaced_secret_signs_along_for_the_overlap_and_no_longer,
                a_deleted_endpoint_is_gone_with_deliveries_and_log,
                what_is_asked_of_no_endpoint_is_answered_with_nothing,
            }
        }
    };
    (events $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            events {
                a_completed_check_is_delivered_to_every_endpoint_that_listens,
                an_endpoint_receives_what_it_listens_to_and_nothing_else,
                a_later_event_is_blocked_until_the_first_attempt_of_the_one_before_has_ended,
                a_later_event_waits_for_an_attempt_that_its_worker_left,
                a_later_event_waits_no_longer_when_an_attempt_is_given_up,
                a_refused_result_is_delivered_to_nobody,
                a_failed_check_is_delivered_to_nobody,
                a_test_event_goes_to_one_endpoint_whatever_it_listens_to,
                a_taken_event_id_is_refused_and_changes_nothing,
                what_was_delivered_about_a_site_stays_when_the_site_is_deleted,
            }
        }
    };
    (deliveries $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            deliveries {
                nothing_due_gives_nothing,
                a_delivery_that_always_fails_is_attempted_by_the_schedule_and_no_more,
                a_delivery_ends_with_the_first_2xx,
                an_attempt_left_by_its_worker_is_made_again_with_its_number,
                an_attempt_that_lost_three_workers_counts_as_failed,
                a_delivery_that_loses_every_worker_fails_in_the_end,
                no_more_lost_attempts_are_given_up_than_asked_for,
                an_old_token_is_refused_and_changes_nothing,
                an_attempt_is_recorded_once,
                a_lease_that_ended_but_was_not_taken_is_the_holders_to_record,
                what_fell_due_first_is_given_first,
                no_more_deliveries_are_given_than_asked_for,
                an_endpoint_at_its_limit_is_skipped,
                retries_beyond_their_limit_are_skipped,
                limits_are_each_workers_own,
                depth_counts_what_is_pending_and_due_and_shows_since_when,
            }
        }
    };
    (delivery_log $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            delivery_log {
                every_end_of_an_attempt_reads_as_it_was_recorded,
                deliveries_are_listed_newest_first_then_greatest_id,
                pages_of_deliveries_skip_none_and_repeat_none,
                a_delivery_reads_by_itself_as_it_does_in_the_list,
                a_delivery_that_ended_is_sent_again_as_a_new_one_of_the_same_event,
                a_pending_delivery_is_not_sent_again,
                the_log_of_a_team_is_filtered_by_all_conditions_together,
                what_was_not_received_is_sent_again_once_however_often_that_is_asked_for,
                a_delivery_leaves_the_log_after_thirty_days_and_not_at_their_end,
                a_pending_delivery_is_never_purged,
                a_purge_of_deliveries_deletes_no_more_than_its_limit_and_says_how_many,
                an_event_stays_as_long_as_a_delivery_needs_it,
            }
        }
    };
    (switch_off $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            switch_off {
                the_twentieth_failed_delivery_in_a_row_switches_off_and_none_before,
                endpoints_that_are_off_are_listed_for_all_teams_the_latest_first,
                a_success_begins_the_count_anew,
                what_is_pending_for_an_endpoint_that_is_switched_off_is_dropped,
                an_attempt_under_way_at_the_switch_off_is_recorded,
                an_attempt_left_by_its_worker_is_dropped_when_its_endpoint_is_off,
                a_last_attempt_that_is_given_up_switches_off_like_one_that_failed,
                nothing_is_made_for_an_endpoint_that_is_off,
                an_endpoint_switched_on_by_hand_receives_events_again_and_counts_from_zero,
                one_endpoint_is_switched_off_and_no_other,
                an_endpoint_disabled_by_hand_gets_nothing_until_it_is_enabled,
            }
        }
    };
    (hints $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            hints {
                a_queued_check_is_hinted_at,
                a_check_that_is_handed_back_is_hinted_at,
                a_worker_that_is_given_a_check_passes_the_hint_on,
                a_delivery_that_is_made_due_is_hinted_at,
                whatever_is_logged_of_a_check_is_hinted_at,
                a_hint_is_kept_until_somebody_waits,
                one_who_waits_already_is_woken,
            }
        }
    };
    (isolation $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            isolation {
                a_site_is_seen_by_its_team_alone,
                a_site_is_deleted_by_its_team_alone,
                a_site_is_checked_by_its_team_alone,
                a_check_is_seen_by_its_team_alone,
                a_check_is_marked_express_by_its_team_alone,
                a_token_is_seen_and_deleted_by_its_team_alone,
                a_token_stands_for_its_team_alone,
                what_befalls_a_team_befalls_no_other,
                a_trend_and_a_list_hold_one_teams_checks_alone,
                an_endpoint_is_seen_and_changed_by_its_team_alone,
                a_teams_checks_are_delivered_to_its_endpoints_alone,
            }
        }
    };
    (site_concurrency $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            site_concurrency {
                a_team_never_exceeds_its_sites_under_32_adds_at_once,
                one_of_32_callers_with_the_same_address_adds_it,
                one_of_fifty_manual_checks_at_once_is_queued,
                a_manual_and_a_scheduled_check_at_once_are_one,
                a_site_that_falls_due_is_queued_once_by_many_schedulers,
                a_site_deleted_while_a_check_starts_leaves_nothing_behind,
                sites_added_and_deleted_at_once_are_counted_right,
            }
        }
    };
    (scan_concurrency $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            scan_concurrency {
                each_of_200_checks_is_claimed_once_by_64_workers,
                one_of_many_ends_of_a_check_counts,
                a_check_that_is_taken_over_while_its_result_comes_has_one_owner,
                a_completed_check_is_seen_whole_or_not_at_all,
                a_site_deleted_while_its_check_completes_leaves_nothing_behind,
                purges_at_once_delete_each_check_once,
            }
        }
    };
    (team_concurrency $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            team_concurrency {
                sixty_of_100_requests_at_once_are_admitted_where_the_limit_is_60,
                requests_given_back_while_others_are_admitted_are_given_back_exactly,
                of_many_who_add_a_missing_plan_at_once_all_get_the_same,
                of_many_who_ask_for_the_team_of_a_key_at_once_all_get_the_same,
                no_team_is_left_without_a_plan_when_one_is_deleted_at_the_same_moment,
                a_team_that_changes_plan_while_that_is_shortened_loses_nothing,
                a_team_deleted_while_it_grows_leaves_nothing_behind,
                a_team_deleted_while_its_check_completes_leaves_nothing_behind,
            }
        }
    };
    (delivery_concurrency $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            delivery_concurrency {
                a_team_never_exceeds_its_endpoints_under_32_creations_at_once,
                each_of_300_deliveries_is_claimed_once_by_16_workers,
                one_of_many_records_of_an_attempt_counts,
                each_of_twenty_last_attempts_that_fail_at_once_counts,
                a_last_failure_and_a_success_at_once_are_counted_one_after_the_other,
                an_endpoint_deleted_while_a_check_completes_leaves_nothing_behind,
            }
        }
    };
    (sealing $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            sealing {
                a_worker_is_given_what_its_keys_open_and_the_rest_waits_for_others,
                what_a_worker_can_not_sign_holds_up_nothing_behind_it,
                secrets_are_counted_by_their_keys,
                what_another_key_seals_is_found_to_the_last,
                a_secret_that_is_sealed_with_another_key_stays_in_its_place,
                a_secret_that_was_replaced_meanwhile_is_not_brought_back,
                of_many_who_reseal_a_secret_at_once_one_counts,
                nothing_is_kept_in_the_clear_and_nothing_sealed_is_sealed_over,
            }
        }
    };
    (settings $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            settings {
                a_setting_that_nobody_stored_has_no_value,
                the_first_value_settled_stays_and_later_ones_get_it,
                each_setting_has_a_value_of_its_own_that_reads_as_it_was_given,
                a_replaced_setting_is_given_to_all_who_settle_it_later,
                a_removed_setting_is_settled_afresh_and_no_other_is_removed,
                of_many_who_settle_a_setting_at_once_all_get_the_same_value,
            }
        }
    };
    (model $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            model {
                no_walk_leads_a_store_away_from_the_domain,
            }
        }
    };
    (outbox_model $made:ident $arguments:tt) => {
        $crate::store_suite! {
            @$made $arguments
            outbox_model {
                no_walk_among_deliveries_leads_a_store_away_from_the_domain,
            }
        }
    };
    ($unknown:ident $made:ident $arguments:tt) => {
        compile_error!(concat!("the store suite has no area `", stringify!($unknown), "`"));
    };
}
