<?php
namespace local_pando\task;

/** Asks the federation for events, so that little is missing when the next request comes. */
final class catch_up extends \core\task\scheduled_task {
    public function get_name() {
        return get_string('catchup', 'local_pando');
    }

    public function execute() {
        if (get_config('local_pando', 'issuer')) {
            \local_pando\plugin::it()->federation->catchUp();
        }
    }
}
