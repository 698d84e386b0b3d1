//! All texts of the dashboard, by language.

use crate::render::html::texts::texts;

texts! { "board":
    runs theme search search_hint wrong_search filter_example none_filtered team away away_more compare
    compare_hint chosen too_many clear run iops bandwidth p99 lasted of found found_one none_found no_runs
    first_run newer older page met not_met undecided running interrupted stopped hung failed damaged_run
    unreadable complete watch_it more all_runs no_answer live fill ramp measure hold drain between stage
    in_flight elapsed left left_unknown mean maximum errors latency seconds time value chart_rate
    chart_latency chart_counters hint_rate hint_latency hint_counters span last_2 last_10 whole last_seconds
    doubts quiet quiet_why over killed report report_so_far need_scripts steps damaged
}
