<?php
/** Pando: makes this site a service of a Pando federation. Apache 2.0, which is compatible with version 3 of the GPL. */
defined('MOODLE_INTERNAL') || die();

$plugin->component = 'local_pando';
$plugin->version = 2026112600;
$plugin->requires = 2024042200; // Moodle 4.4, which runs on PHP 8.2
$plugin->maturity = MATURITY_ALPHA;
$plugin->release = '0.1.0';
