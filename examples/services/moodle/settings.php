<?php
/** Site administration > Plugins > Local plugins > Pando. */
defined('MOODLE_INTERNAL') || die();

if ($hassiteconfig) {
    $page = new admin_settingpage('local_pando', get_string('pluginname', 'local_pando'));
    $text = fn(string $name) => [get_string($name, 'local_pando'), get_string("{$name}_help", 'local_pando')];
    $page->add(new admin_setting_heading('local_pando/base', get_string('base', 'local_pando'), get_string('base_help', 'local_pando', \local_pando\plugin::base())));
    $page->add(new admin_setting_configtext('local_pando/issuer', ...[...$text('issuer'), '', PARAM_URL]));
    $page->add(new admin_setting_configtext('local_pando/clientid', ...[...$text('clientid'), '', PARAM_RAW_TRIMMED]));
    $page->add(new admin_setting_configpasswordunmask('local_pando/clientsecret', ...[...$text('clientsecret'), '']));
    $page->add(new admin_setting_configcheckbox('local_pando/enter', ...[...$text('enter'), 1]));
    $ADMIN->add('localplugins', $page);
}
