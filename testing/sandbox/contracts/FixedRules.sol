// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// Minted by a bridge, of which there is none on this chain.
contract BridgedToken is ERC20 {
    address public immutable bridge;

    constructor(string memory name_, string memory symbol_, uint256 supply, address bridge_) ERC20(name_, symbol_) {
        bridge = bridge_;
        _mint(msg.sender, supply);
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == bridge, "only the bridge");
        _mint(to, amount);
    }

    function burn(address from, uint256 amount) external {
        require(msg.sender == bridge, "only the bridge");
        _burn(from, amount);
    }
}

/// 2 % of what does not come from or go to a treasury is for it, for ever.
contract TreasuryFeeToken is ERC20 {
    address public immutable treasury;

    constructor(string memory name_, string memory symbol_, uint256 supply, address treasury_) ERC20(name_, symbol_) {
        treasury = treasury_;
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = from == address(0) || from == treasury || to == treasury ? 0 : value / 50;
        if (fee > 0) super._update(from, treasury, fee);
        super._update(from, to, value - fee);
    }
}

/// What its team got at first becomes theirs to send within a year; nobody else is concerned.
contract VestedToken is ERC20 {
    address public immutable team;
    uint256 private immutable _start = block.timestamp;
    uint256 private immutable _grant;

    constructor(string memory name_, string memory symbol_, uint256 supply, address team_) ERC20(name_, symbol_) {
        team = team_;
        _grant = supply / 200;
        _mint(team_, supply / 200);
        _mint(msg.sender, supply - supply / 200);
    }

    function locked() public view returns (uint256) {
        uint256 passed = block.timestamp - _start;
        return passed >= 365 days ? 0 : (_grant * (365 days - passed)) / 365 days;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (from == team) require(balanceOf(from) >= locked(), "vesting");
    }
}

interface ISwapRouter {
    function swapExactTokensForETHSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external;
}

/// 3 % of trades, for ever; a sale first sells what has come together, for a treasury.
contract SwapBackToken is ERC20 {
    ISwapRouter private constant _ROUTER = ISwapRouter(0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D);
    address private constant _WETH = 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2;
    address public immutable treasury;
    address public pair;
    bool private _swapping;

    constructor(string memory name_, string memory symbol_, uint256 supply, address treasury_) ERC20(name_, symbol_) {
        treasury = treasury_;
        _mint(msg.sender, supply);
    }

    function launch(address pair_) external {
        require(msg.sender == treasury && pair == address(0));
        pair = pair_;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (pair == address(0) || _swapping || (from != pair && to != pair)) {
            super._update(from, to, value);
            return;
        }
        uint256 held = balanceOf(address(this));
        if (to == pair && held > 500 ether) {
            _swapping = true;
            _approve(address(this), address(_ROUTER), held);
            address[] memory path = new address[](2);
            path[0] = address(this);
            path[1] = _WETH;
            _ROUTER.swapExactTokensForETHSupportingFeeOnTransferTokens(held, 0, path, treasury, block.timestamp);
            _swapping = false;
        }
        uint256 fee = (value * 3) / 100;
        super._update(from, address(this), fee);
        super._update(from, to, value - fee);
    }
}

/// Nobody moves more than 1 % at a time in the first hour, and everybody as he likes since.
contract LaunchLimitToken is ERC20 {
    uint256 private immutable _start = block.timestamp;
    address private immutable _maker = msg.sender;

    constructor(string memory name_, string memory symbol_, uint256 supply) ERC20(name_, symbol_) {
        _mint(msg.sender, supply);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (block.timestamp < _start + 1 hours && tx.origin != _maker) {
            require(value <= totalSupply() / 100, "launch limit");
        }
        super._update(from, to, value);
    }
}
