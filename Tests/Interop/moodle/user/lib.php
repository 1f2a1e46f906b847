<?php
function user_create_user(stdClass $user, bool $updatepassword = true): int {
    global $DB;
    return $DB->insert_record_raw('user', (array) $user + ['deleted' => 0, 'suspended' => 0]);
}
