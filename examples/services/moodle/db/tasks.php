<?php
defined('MOODLE_INTERNAL') || die();

$tasks = [['classname' => 'local_pando\task\catch_up', 'blocking' => 0, 'minute' => '*/5', 'hour' => '*', 'day' => '*', 'dayofweek' => '*', 'month' => '*']];
