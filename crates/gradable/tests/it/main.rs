//! Drives the real `gradable` binary against fakes of everything around it.

mod cut_off;
mod diff;
mod failures;
mod field_cases;
mod flags;
mod judge_answers;
mod judge_api;
mod judge_programs;
mod judge_real_programs;
mod leaderboard;
mod lint;
mod real_servers;
mod reports;
mod responses;
mod scan;
mod score;
mod secrets;
mod support;
mod surfaces;
mod verify;
